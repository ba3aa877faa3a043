// The list of keys: what each does, changing one, switching them off.

import { keyOf, shown } from "./keys.js";
import { make } from "./picker.js";

const MEANINGS = {
  submit: "Submit, and go to the next report",
  undo: "Take the last choice back",
  skip: "Skip the report",
  unsure: "Mark as unsure",
  flag: "Flag for the coordinator",
  memo: "Write a memo (Esc leaves it)",
  search: "Find a code",
  help: "Show the keys",
  unfold: "Unfold environment, logs and code",
  shortcuts: "Switch keys on and off",
};

/** Connects the dialog with a keymap; `changed` is called after every change. */
export function connectKeyHelp(dialog, keymap, changed) {
  const rows = dialog.querySelector("#key-rows");
  const fault = dialog.querySelector("#key-fault");
  const on = dialog.querySelector("#shortcuts-on");
  const atOnce = dialog.querySelector("#auto-submit");
  let asking = "";

  const draw = (why = "") => {
    fault.textContent = why;
    fault.hidden = !why;
    on.checked = keymap.on;
    atOnce.checked = keymap.submitsAtOnce;
    rows.replaceChildren(
      ...Object.entries(keymap.commands).map(([command, key]) => {
        const change = make("button", { type: "button" }, asking === command ? "Press a key …" : "Change");
        change.setAttribute("aria-label", `Change the key of: ${MEANINGS[command] ?? command}`);
        change.addEventListener("click", () => {
          asking = command;
          draw();
          rows.querySelector(`[data-command="${command}"] button`).focus();
        });
        const row = make("tr", {}, make("th", { scope: "row" }, MEANINGS[command] ?? command), make("td", {}, make("kbd", {}, shown(key) || "none")), make("td", {}, change));
        row.dataset.command = command;
        return row;
      }),
    );
    changed();
  };

  dialog.addEventListener("keydown", (event) => {
    if (!asking || event.key === "Tab" || event.key === "Shift") return;
    event.preventDefault();
    event.stopPropagation();
    const command = asking;
    asking = "";
    const why = keymap.change(command, event.key === "Delete" ? "" : keyOf(event));
    draw(why);
    rows.querySelector(`[data-command="${command}"] button`).focus();
  });
  dialog.addEventListener("cancel", (event) => asking && event.preventDefault());
  on.addEventListener("change", () => ((keymap.on = on.checked), draw()));
  atOnce.addEventListener("change", () => ((keymap.submitsAtOnce = atOnce.checked), draw()));
  dialog.querySelector("#keys-reset").addEventListener("click", () => (keymap.reset(), draw()));
  dialog.addEventListener("close", () => (asking = ""));
  return () => {
    draw();
    dialog.showModal();
  };
}
