// What one facet of a report is answered with, and the way there through its tree.

/** How a code is called: its id, and its name unless that says the same. */
export function called({ id, name }) {
  return id.toLowerCase() === name.toLowerCase() ? name : `${id} ${name}`;
}

/** Every code of a facet by id, with its path from the top. */
function index(facet) {
  const found = new Map();
  const walk = (codes, path) => {
    for (const code of codes) {
      found.set(code.id, { code, path: [...path, code] });
      walk(code.codes, [...path, code]);
    }
  };
  walk(facet.codes, []);
  return found;
}

/** What one facet of one report was answered with. */
export class FacetAnswer {
  constructor(facet) {
    this.facet = facet;
    this.nodes = index(facet);
    this.clear();
  }

  clear() {
    this.path = [];
    this.second = []; // secondary codes
    this.draft = null; // path of a secondary code that is being chosen
  }

  /** The path that keys work on. */
  get walked() {
    return this.draft ?? this.path;
  }

  /** The code whose children are listed; null for the top. */
  get parent() {
    const path = this.walked;
    const last = path.at(-1);
    if (!last) return null;
    return last.codes.length ? last : path.at(-2) ?? null;
  }

  get options() {
    return this.parent ? this.parent.codes : this.facet.codes;
  }

  /** Chooses a code; returns whether that ends the facet, which a code with others below it does not. */
  choose(code) {
    const path = this.nodes.get(code)?.path;
    if (!path) return false;
    const isLeaf = path.at(-1).codes.length === 0;
    if (this.draft === null) this.path = path;
    else if (isLeaf) this.addSecond(code);
    else this.draft = path;
    return isLeaf;
  }

  addSecond(code) {
    if (code !== this.path.at(-1)?.id && !this.second.includes(code)) this.second.push(code);
    this.draft = null;
  }

  /** Goes up a level; returns whether there was one. */
  back() {
    const parent = this.parent;
    if (!parent) {
      if (this.draft === null) return false;
      this.draft = null;
      return true;
    }
    const up = this.nodes.get(parent.id).path.slice(0, -1);
    if (this.draft === null) this.path = up;
    else this.draft = up;
    return true;
  }

  toAnswer() {
    return { facet: this.facet.id, code: this.path.at(-1).id, secondary: this.second };
  }
}
