// Which key means what: commands have theirs from study.toml or from the person; codes get what is left.

const ALPHABET = [..."1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const MOVES = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Tab", " "]);

/** The keys of the first `count` codes of a list, none of which is taken; empty texts when there are no more. */
export function labelKeys(count, taken) {
  const free = ALPHABET.filter((key) => !taken.has(key));
  return Array.from({ length: count }, (_, place) => free[place] ?? "");
}

/** What a key press says, or "" for one that belongs to the browser. Digits of the number pad are digits. */
export function keyOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return "";
  const pad = /^Numpad(\d)$/.exec(event.code);
  if (pad) return pad[1];
  const { key } = event;
  if (key.length !== 1) return key;
  const row = /^Digit(\d)$/.exec(event.code);
  if (row && !event.shiftKey && !/[0-9A-Za-z/?]/.test(key)) return row[1]; // keyboards whose digits need Shift
  if (!event.getModifierState("CapsLock")) return key;
  return key === key.toLowerCase() ? key.toUpperCase() : key.toLowerCase();
}

/** Whether somebody types in a field, so that keys belong to it. */
export function isTyping(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element.matches("textarea, select")) return true;
  return element.matches("input:not([type=checkbox], [type=radio], [type=button], [type=submit])");
}

/** Whether an element does something of its own with Enter. */
export function takesEnter(element) {
  return element instanceof HTMLElement && element.matches("a[href], button, summary, input, select, textarea, [role=link]");
}

/** How a key is written. */
export function shown(key) {
  const names = { Enter: "↵", Backspace: "⌫", Escape: "Esc", " ": "Space", ArrowUp: "↑", ArrowDown: "↓" };
  return names[key] ?? key;
}

/** The keys of one person: those of the study, but for what the person changed in this browser. */
export class Keymap {
  #store;
  #study;
  #own;

  constructor(store, studyKeys, shortcuts) {
    this.#store = store;
    this.#study = studyKeys;
    this.#own = { keys: {}, on: shortcuts, submitsAtOnce: false, ...store.read() };
  }

  get commands() {
    return { ...this.#study, ...this.#own.keys };
  }

  get on() {
    return this.#own.on;
  }

  set on(value) {
    this.#keep({ on: value });
  }

  get submitsAtOnce() {
    return this.#own.submitsAtOnce;
  }

  set submitsAtOnce(value) {
    this.#keep({ submitsAtOnce: value });
  }

  /** The keys that no code may have. */
  get taken() {
    return new Set(Object.values(this.commands).filter(Boolean));
  }

  commandOf(key) {
    return Object.entries(this.commands).find(([, own]) => own && own === key)?.[0] ?? "";
  }

  /** Gives a command another key ("" for none), and returns why that cannot be, or "". */
  change(command, key) {
    if (MOVES.has(key)) return "That key moves about on the page.";
    const other = key ? this.commandOf(key) : "";
    if (other && other !== command) return `That key is taken: ${other}.`;
    this.#keep({ keys: { ...this.#own.keys, [command]: key } });
    return "";
  }

  reset() {
    this.#keep({ keys: {} });
  }

  #keep(change) {
    this.#own = { ...this.#own, ...change };
    this.#store.write(this.#own);
  }
}
