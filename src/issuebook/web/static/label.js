// The labelling page: one report a screen, keys or pointer, answers kept before they are sent.

import { Deck, get } from "./deck.js";
import { connectFinder } from "./finder.js";
import { connectKeyHelp } from "./keyhelp.js";
import { isTyping, Keymap, keyOf, shown, takesEnter } from "./keys.js";
import { Outbox } from "./outbox.js";
import "./outside.js";
import { make, Picker } from "./picker.js";
import { Kept } from "./store.js";

const IDLE = 30; // seconds without a sign of life that still count as work
const part = (id) => document.getElementById(id);
const data = (id) => JSON.parse(part(id).textContent);
const trusted = globalThis.trustedTypes?.createPolicy("issuebook", { createHTML: (html) => html }) ?? { createHTML: (html) => html };

const { person, csrf } = part("desk").dataset;
const asked = data("asked-data");
const outbox = new Outbox(person, csrf);
const keymap = new Keymap(new Kept(person, "keys"), asked.keys, asked.shortcuts);
const picker = new Picker(part("facets"), part("about"), asked, keymap);
const deck = new Deck(data("unit-data"), outbox);
deck.round = deck.current.round;

let active = 0; // seconds of work on the shown report
let lastSign = performance.now();
let isBusy = false;

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// ---- showing -------------------------------------------------------------------------------------------------------

function title() {
  return part("unit").querySelector("h1").textContent;
}

function draft() {
  return new Kept(person, `draft.${deck.current.round}.${deck.current.unit}`);
}

function show(unit, said = null) {
  const view = part("unit");
  view.innerHTML = trusted.createHTML(unit.html);
  view.setAttribute("aria-label", `Report: ${title()}`);
  view.scrollTop = 0;
  scrollTo(0, 0);
  const rating = said ?? draft().read() ?? unit.mine ?? { answers: [], memo: "", unsure: false, flag: false };
  picker.reset(rating.answers);
  part("memo").value = rating.memo;
  press("unsure", rating.unsure);
  press("flag", rating.flag);
  part("unfold").setAttribute("aria-pressed", "false");
  tellStanding();
  if (unit.skipped) notice(`You skipped this report: ${unit.skipped}`);
  active = 0;
  lastSign = performance.now();
  progress(unit.progress);
  view.focus({ preventScroll: true });
}

/** Says why there is no report; the server's page says it best, but without a connection this one must do. */
function showNothing(why) {
  if (why.reason !== "offline") return location.assign("/label");
  part("unit").replaceChildren(make("p", { className: "lead" }, why.explanation));
  picker.reset();
}

/** Goes on after a lost connection. */
async function resume() {
  if (deck.current || isBusy || outbox.state !== "saved") return;
  isBusy = true;
  const next = await deck.resume();
  isBusy = false;
  if (next?.unit) show(next);
  else if (next && next.reason !== "offline") showNothing(next);
}

function progress(own) {
  const parts = [`${own.done.toLocaleString("en")} of ${own.share.toLocaleString("en")}`];
  if (own.seconds !== null) parts.push(`${Math.round(own.seconds)} s each`);
  if (own.left) parts.push(own.left);
  part("progress").textContent = parts.join(" · ");
}

function notice(text) {
  part("notice").textContent = text;
  part("notice").hidden = !text;
}

/** Tells what stays so until somebody does something: signed out, or answers that the server did not accept. */
function tellStanding() {
  if (outbox.state === "blocked") {
    notice("You are signed out, or may no longer label. What you said waits in this browser. ");
    part("notice").append(make("a", { href: "/sign-in?next=/label" }, "Sign in again"), " · ", make("a", { href: "/label/unsaved" }, "What waits"));
    return;
  }
  const count = outbox.refused.length;
  notice(count ? `${count} of your answers ${count === 1 ? "was" : "were"} not accepted and ${count === 1 ? "is" : "are"} kept in this browser. ` : "");
  if (count) part("notice").append(make("a", { href: "/label/unsaved" }, "See which, and why"));
}

function press(id, value) {
  part(id).setAttribute("aria-pressed", String(value));
}

function isPressed(id) {
  return part(id).getAttribute("aria-pressed") === "true";
}

function drawKeys() {
  for (const place of document.querySelectorAll("kbd[data-key]")) {
    const key = keymap.commands[place.dataset.key];
    place.textContent = keymap.on || place.dataset.key === "shortcuts" ? shown(key) : "";
  }
  picker.draw();
}

function drawSaved() {
  const waiting = outbox.waiting.length;
  const kept = `${waiting} ${waiting === 1 ? "answer waits" : "answers wait"} in this browser`;
  const told = { saved: "✓ saved", saving: "saving …", offline: `no connection: ${kept}`, blocked: `sign in again: ${kept}` };
  part("saved").textContent = told[outbox.state];
  part("saved").dataset.state = outbox.state;
  if (outbox.state === "blocked") tellStanding();
}

// ---- acting --------------------------------------------------------------------------------------------------------

function rating() {
  return { answers: picker.answers, memo: part("memo").value, unsure: isPressed("unsure"), flag: isPressed("flag") };
}

function keepDraft() {
  if (deck.current) draft().write(rating());
}

async function go(path, body, said) {
  if (isBusy || !deck.current) return;
  isBusy = true;
  const { round, unit } = deck.current;
  draft().remove();
  const sending = outbox.put(path, { round, unit, key: newKey(), seconds: Math.round(active * 100) / 100, ...body }, title());
  if (!deck.isReady) await sending;
  const next = await deck.next(said);
  isBusy = false;
  if (next?.unit) show(next);
  else showNothing(next);
}

function submit() {
  sign();
  const missing = picker.missing;
  if (missing) return notice(`Still to choose: ${missing.question || missing.name}`);
  const said = rating();
  return go("/label/choices", said, said);
}

function skip() {
  const dialog = part("skipping");
  part("reason").value = "";
  dialog.returnValue = "";
  dialog.showModal();
}

part("skipping").addEventListener("close", () => {
  const reason = part("reason").value.trim();
  if (part("skipping").returnValue === "skip" && reason) go("/label/skips", { reason }, rating());
});

async function undo() {
  if (isBusy) return;
  const last = deck.back();
  if (last) {
    outbox.put("/label/undo", { key: newKey() });
    show(last.unit, last.said);
    return;
  }
  isBusy = true;
  const isSent = await outbox.flush();
  const answer = isSent ? await outbox.post("/label/undo", { key: newKey() }) : { status: 0 };
  isBusy = false;
  if (answer.status !== 200) return notice("Nothing could be taken back: there is no connection.");
  if (!answer.data) return notice("There is nothing to take back.");
  const unit = await get(`/label/unit?${new URLSearchParams({ round: answer.data.round, unit: answer.data.unit })}`);
  if (unit?.round === deck.round) {
    deck.put(unit);
    show(unit);
  } else {
    location.assign(`/label?${new URLSearchParams({ round: answer.data.round, unit: answer.data.unit })}`);
  }
}

function toggle(id) {
  press(id, !isPressed(id));
  keepDraft();
}

function unfold() {
  const open = !isPressed("unfold");
  press("unfold", open);
  for (const fold of part("unit").querySelectorAll("details.fold")) fold.open = open;
}

function switchKeys() {
  keymap.on = !keymap.on;
  drawKeys();
  notice(keymap.on ? "" : `Keys are off. ${shown(keymap.commands.shortcuts)} switches them on.`);
}

const find = connectFinder(part("finding"), picker);
const help = connectKeyHelp(part("keys"), keymap, drawKeys);
const commands = {
  submit,
  undo,
  skip,
  unsure: () => toggle("unsure"),
  flag: () => toggle("flag"),
  memo: () => part("memo").focus(),
  search: find,
  help,
  unfold,
  shortcuts: switchKeys,
};
for (const id of ["submit", "undo", "skip", "unsure", "flag", "unfold", "search", "help"]) {
  part(id).addEventListener("click", (event) => {
    commands[id]();
    if (event.detail > 0 && !document.querySelector("dialog[open]")) part("unit").focus({ preventScroll: true });
  });
}

// ---- listening -----------------------------------------------------------------------------------------------------

function sign() {
  const now = performance.now();
  active += Math.min((now - lastSign) / 1000, IDLE);
  lastSign = now;
}

function onKey(event) {
  sign();
  if (document.querySelector("dialog[open]")) return;
  const { target } = event;
  const key = keyOf(event);
  if (isTyping(target)) {
    if (key === "Escape") part("unit").focus({ preventScroll: true });
    return;
  }
  if (!key || (key === "Enter" && takesEnter(target)) || (event.repeat && !key.startsWith("Arrow"))) return;
  const command = keymap.commandOf(key);
  if (!keymap.on && command !== "shortcuts") return;
  if (command) commands[command]();
  else if (!moves(key, target) && !picker.press(key)) return;
  event.preventDefault();
}

/** Does what an arrow key says, unless it belongs to a text that can be scrolled. */
function moves(key, target) {
  if (target.closest?.("pre")) return false;
  if (key === "ArrowLeft") picker.back();
  else if (key === "ArrowRight") picker.chooseLooked();
  else if (key === "ArrowDown" || key === "ArrowUp") picker.move(key === "ArrowDown" ? 1 : -1);
  else return false;
  return true;
}

document.addEventListener("keydown", onKey);
for (const kind of ["pointermove", "pointerdown", "wheel"]) document.addEventListener(kind, sign, { passive: true });
document.addEventListener("visibilitychange", () => (document.hidden ? sign() : (lastSign = performance.now())));
part("memo").addEventListener("input", keepDraft);
picker.addEventListener("change", () => (tellStanding(), keepDraft()));
picker.addEventListener("complete", () => keymap.submitsAtOnce && submit());
outbox.addEventListener("change", () => (drawSaved(), resume()));
outbox.addEventListener("sent", ({ detail }) => detail.data?.share !== undefined && progress(detail.data));
outbox.addEventListener("refused", tellStanding);

addEventListener("pagehide", () => {
  const units = deck.ahead.map(({ unit }) => unit);
  if (units.length) outbox.post("/label/release", { round: deck.round, units }, { keepalive: true });
});

drawKeys();
show(deck.current);
drawSaved();
outbox.flush();
deck.refill();
