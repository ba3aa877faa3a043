// What this browser keeps for one person. Where it keeps nothing (private windows, full disks), the page's memory does.

const memory = new Map();

function attempt(action, otherwise) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

/** One value under a name. */
export class Kept {
  #name;

  constructor(person, name) {
    this.#name = `issuebook.${person}.${name}`;
  }

  read() {
    const text = attempt(() => localStorage.getItem(this.#name), null) ?? memory.get(this.#name);
    return attempt(() => JSON.parse(text ?? "null"), null);
  }

  write(value) {
    const text = JSON.stringify(value);
    memory.set(this.#name, text);
    return attempt(() => (localStorage.setItem(this.#name, text), true), false);
  }

  remove() {
    memory.delete(this.#name);
    attempt(() => localStorage.removeItem(this.#name));
  }
}

/** The names, in order, under which something is kept that begins with a text. */
export function keptNames(person, start) {
  const prefix = `issuebook.${person}.`;
  const stored = attempt(() => Object.keys(localStorage), []);
  const names = new Set([...stored, ...memory.keys()].filter((name) => name.startsWith(prefix + start)));
  return [...names].sort().map((name) => name.slice(prefix.length));
}
