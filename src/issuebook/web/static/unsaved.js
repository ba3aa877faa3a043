// Answers that are only in this browser: refused by the server, or still on their way. Nothing goes without a click.

import { Outbox } from "./outbox.js";
import { make } from "./picker.js";
import { Kept } from "./store.js";

const page = document.getElementById("unsaved");
const { person, csrf } = page.dataset;
const outbox = new Outbox(person, csrf);
const KINDS = { "/label/choices": "codes", "/label/skips": "skip", "/label/undo": "undo" };

/** The moment that an answer was given, which its name begins with. */
function when(name) {
  return new Date(Number(name.split(".")[1]));
}

/** Label and text of everything that was said. */
function said({ path, body }) {
  const lines = (body.answers ?? []).map(({ facet, code, secondary }) => [facet, [code, ...(secondary ?? [])].join(", ")]);
  if (path === "/label/skips") lines.push(["skipped, because", body.reason]);
  if (path === "/label/undo") lines.push(["undo", "the last answer"]);
  if (body.memo) lines.push(["memo", body.memo]);
  const marks = ["unsure", "flag"].filter((name) => body[name]);
  if (marks.length) lines.push(["marked", marks.join(", ")]);
  return lines;
}

function asText(item) {
  const about = [item.about, item.body.unit, item.body.round && `round ${item.body.round}`].filter(Boolean);
  const why = (item.faults ?? []).map((fault) => `not accepted: ${fault}`);
  return [...about, when(item.name).toISOString(), ...said(item).map((line) => line.join(": ")), ...why].join("\n");
}

function button(text, act, options = {}) {
  const made = make("button", { type: "button", ...options }, text);
  made.addEventListener("click", act);
  return made;
}

/** Opens the report with what was said filled in, to be corrected and submitted. */
function open({ body }) {
  const { answers, memo, unsure, flag } = body;
  new Kept(person, `draft.${body.round}.${body.unit}`).write({ answers, memo, unsure, flag });
  location.assign(`/label?${new URLSearchParams({ round: body.round, unit: body.unit })}`);
}

/** Throws an answer away, at the second click. */
function discard(item) {
  const made = button("Throw away", () => {
    if (made.dataset.sure) {
      outbox.discard(item.name);
      draw();
      return;
    }
    made.dataset.sure = "yes";
    made.textContent = "Throw away for good";
  });
  return made;
}

async function copy(item, field) {
  field.hidden = false;
  field.select();
  await navigator.clipboard?.writeText(asText(item)).catch(() => null);
}

function card(item, acts) {
  const list = make("dl", { className: "told" });
  for (const [name, text] of said(item)) list.append(make("dt", {}, name), make("dd", { dir: "auto" }, text));
  const made = make("article", { className: "unsaved" });
  made.append(make("h3", { dir: "auto" }, item.about || item.body.unit || "Undo"));
  const facts = [item.body.unit, item.body.round && `round ${item.body.round}`, when(item.name).toLocaleString()];
  made.append(make("p", { className: "note" }, facts.filter(Boolean).join(" · ")));
  for (const fault of item.faults ?? []) made.append(make("p", { className: "fault" }, fault));
  if (item.isOvertaken) made.append(make("p", { className: "note" }, "You have said something else of this report since."));
  const field = make("textarea", { readOnly: true, rows: 5, hidden: true, value: asText(item) });
  field.setAttribute("aria-label", "The answer as text");
  const row = make("div", { className: "row" });
  row.append(...acts(item), button("Copy as text", () => copy(item, field)));
  made.append(list, row, field);
  return made;
}

function refusedActs(item) {
  const acts = [button("Send again", () => outbox.resend(item.name).then(draw), { className: "main" })];
  if (KINDS[item.path] === "codes") acts.unshift(button("Correct it", () => open(item)));
  return [...acts, discard(item)];
}

function section(id, items, acts) {
  const place = document.getElementById(id);
  place.hidden = !items.length;
  place.querySelector(".cards").replaceChildren(...items.map((item) => card(item, acts)));
}

function draw() {
  const { refused, waiting } = outbox;
  section("refused", refused, refusedActs);
  section("waiting", waiting, () => []);
  document.getElementById("nothing").hidden = refused.length + waiting.length > 0;
  document.getElementById("all").hidden = refused.length + waiting.length === 0;
}

document.getElementById("file").addEventListener("click", () => {
  const text = [...outbox.refused, ...outbox.waiting].map(asText).join("\n\n");
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: "answers.txt" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
outbox.addEventListener("change", draw);
outbox.addEventListener("refused", draw);
draw();
outbox.flush();
