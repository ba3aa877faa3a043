// "/" finds a code by words of its id, names, definition.

import { make } from "./picker.js";

const SHOWN = 30;

/** Connects the dialog with a picker. */
export function connectFinder(dialog, picker) {
  const field = dialog.querySelector("#find-text");
  const list = dialog.querySelector("#find-list");
  let found = [];
  let at = 0;

  const rank = ({ code }, words) => {
    const names = [code.id, code.name, ...(code.also ?? [])].join(" ").toLowerCase();
    const all = `${names} ${(code.definition ?? "").toLowerCase()} ${(code.include ?? []).join(" ").toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return 0;
    if (words.length && code.id.toLowerCase() === words.join(" ")) return 4;
    if (words.every((word) => names.includes(word))) return names.startsWith(words[0] ?? "") ? 3 : 2;
    return 1;
  };

  const draw = () => {
    list.replaceChildren(
      ...found.map(({ facet, code, path }, place) => {
        const above = path.slice(0, -1).map((parent) => parent.name).join(" › ");
        const told = make("span", { className: "note" }, [facet.name, above].filter(Boolean).join(": "));
        const option = make("li", { id: `found-${place}`, role: "option" }, make("b", {}, code.id), " ", make("bdi", {}, code.name), " ", told);
        option.setAttribute("aria-selected", String(place === at));
        option.addEventListener("click", () => take(place));
        return option;
      }),
    );
    if (found.length) field.setAttribute("aria-activedescendant", `found-${at}`);
    else field.removeAttribute("aria-activedescendant");
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };

  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const ranked = picker.all.map((node) => ({ node, score: rank(node, words) })).filter(({ score }) => score > 0);
    found = ranked.sort((a, b) => b.score - a.score).slice(0, SHOWN).map(({ node }) => node);
    at = 0;
    draw();
  };

  const take = (place) => {
    const node = found[place];
    dialog.close();
    if (node) picker.choose(node.facet.id, node.code.id);
  };

  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      take(at);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = (at + (event.key === "ArrowDown" ? 1 : -1) + found.length) % (found.length || 1);
      draw();
    }
  });
  return () => {
    field.value = "";
    search();
    dialog.showModal();
    field.focus();
  };
}
