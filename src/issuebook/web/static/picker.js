// The codes beside a report: one list a level, a key before each code, and what the code means.

import { called, FacetAnswer } from "./answer.js";
import { labelKeys, shown } from "./keys.js";

/** Makes an element of a name with properties and children; texts stay texts. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Tells "change" with every choice and "complete" when a last code ends the last facet. */
export class Picker extends EventTarget {
  #root;
  #about;
  #keymap;
  #gate;
  #drop;
  #facets;
  #active = 0;
  #look = "";
  #pointer = "";

  constructor(root, about, asked, keymap) {
    super();
    this.#root = root;
    this.#about = about;
    this.#keymap = keymap;
    this.#gate = asked.gate;
    this.#drop = new Set(asked.drop);
    this.#facets = asked.facets.map((facet) => new FacetAnswer(facet));
  }

  /** Every code that can be found, with its facet. */
  get all() {
    return this.#facets.flatMap(({ facet, nodes }) => [...nodes.values()].map((node) => ({ facet, ...node })));
  }

  /** Begins anew, with earlier answers if there are some. */
  reset(answers = []) {
    for (const one of this.#facets) {
      one.clear();
      const answer = answers.find((other) => other.facet === one.facet.id);
      if (!answer) continue;
      one.path = one.nodes.get(answer.code)?.path ?? [];
      one.second = (answer.secondary ?? []).filter((code) => one.nodes.has(code));
    }
    const open = this.#asked.findIndex((one) => one.path.length === 0);
    this.#active = open < 0 ? this.#asked.length - 1 : open;
    this.#look = "";
    this.draw();
  }

  /** The facets that are asked: those behind a gate that was shut are not. */
  get #asked() {
    const gate = this.#facets.find((one) => one.facet.id === this.#gate);
    const shut = gate?.path.some((code) => this.#drop.has(code.id));
    return shut ? [gate] : this.#facets;
  }

  /** The first facet without an answer, or null. */
  get missing() {
    return this.#asked.find((one) => one.path.length === 0)?.facet ?? null;
  }

  get answers() {
    return this.#asked.filter((one) => one.path.length > 0).map((one) => one.toAnswer());
  }

  /** Does what a code's key says; returns whether the key is one. */
  press(key) {
    const one = this.#facets[this.#active];
    const place = labelKeys(one.options.length, this.#keymap.taken).indexOf(key);
    if (!key || place < 0) return false;
    this.choose(one.facet.id, one.options[place].id);
    return true;
  }

  choose(facet, code) {
    this.#active = Math.max(0, this.#facets.findIndex((one) => one.facet.id === facet));
    const one = this.#facets[this.#active];
    const wasDraft = one.draft !== null;
    const isLeaf = one.choose(code);
    this.#look = isLeaf ? code : "";
    const next = isLeaf && !wasDraft ? this.#asked.findIndex((other) => other.path.length === 0) : -1;
    if (next >= 0) {
      this.#active = next;
      this.#look = "";
    }
    this.draw();
    this.dispatchEvent(new Event("change"));
    if (isLeaf && !wasDraft && this.missing === null) this.dispatchEvent(new Event("complete"));
  }

  /** Looks at the next code of the list, or the one before. */
  move(by) {
    const { options, path } = this.#facets[this.#active];
    const now = options.findIndex((code) => code.id === (this.#look || path.at(-1)?.id));
    const next = now < 0 ? (by > 0 ? 0 : options.length - 1) : (now + by + options.length) % options.length;
    this.#look = options[next].id;
    this.draw();
  }

  chooseLooked() {
    if (this.#look) this.choose(this.#facets[this.#active].facet.id, this.#look);
  }

  back() {
    if (!this.#facets[this.#active].back()) this.#active = Math.max(0, this.#active - 1);
    this.#look = "";
    this.draw();
    this.dispatchEvent(new Event("change"));
  }

  look(code) {
    if (code === this.#look) return;
    this.#look = code;
    for (const option of this.#root.querySelectorAll(".option")) option.classList.toggle("looked", option.value === code);
    this.#drawAbout();
  }

  #pointAt({ screenX, screenY }, code) {
    const at = `${screenX} ${screenY}`;
    if (at !== this.#pointer) this.look(code);
    this.#pointer = at;
  }

  draw() {
    const asked = this.#asked;
    this.#root.replaceChildren(...this.#facets.map((one, place) => this.#drawFacet(one, place, asked.includes(one))));
    this.#root.querySelector(".looked")?.scrollIntoView({ block: "nearest" });
    this.#drawAbout();
  }

  #drawFacet(one, place, isAsked) {
    const isActive = isAsked && place === this.#active;
    const heading = make("h2", {}, one.facet.question || one.facet.name);
    const block = make("div", { className: isActive ? "facet active" : "facet" }, heading, this.#drawTrail(one, place));
    if (!isAsked) return make("div", { className: "facet" }, heading, make("p", { className: "note" }, "Not asked of what is left out."));
    if (isActive) block.append(this.#drawOptions(one));
    if (isActive && one.path.length > 0) block.append(this.#drawSecond(one));
    return block;
  }

  #drawTrail(one, place) {
    const level = one.facet.levels[one.parent ? one.nodes.get(one.parent.id).path.length : 0] ?? "";
    const crumbs = one.walked.map((code, depth) => {
      const crumb = make("button", { type: "button", className: "crumb", title: "Back to this level" }, called(code));
      crumb.addEventListener("click", () => {
        const up = one.walked.slice(0, depth);
        if (one.draft === null) one.path = up;
        else one.draft = up;
        this.#active = place;
        this.#look = "";
        this.draw();
        this.dispatchEvent(new Event("change"));
      });
      return crumb;
    });
    const told = one.draft === null ? "" : "also: ";
    if (crumbs.length) return make("p", { className: "trail" }, told, ...crumbs);
    const begin = make("button", { type: "button", className: "quiet" }, `Choose: ${level}`);
    begin.addEventListener("click", () => ((this.#active = place), this.draw()));
    return make("p", { className: "trail" }, told, begin);
  }

  #drawOptions(one) {
    const keys = this.#keymap.on ? labelKeys(one.options.length, this.#keymap.taken) : [];
    const chosen = new Set(one.walked.map((code) => code.id));
    const items = one.options.map((code, place) => {
      const key = keys[place] ?? "";
      const option = make(
        "button",
        { type: "button", className: code.id === this.#look ? "option looked" : "option", value: code.id },
        make("kbd", { hidden: !key }, shown(key)),
        called(code) === code.name ? null : make("b", {}, code.id),
        make("bdi", {}, code.name),
        code.codes.length ? make("span", { className: "more", ariaHidden: "true" }, "›") : null,
      );
      option.setAttribute("aria-pressed", String(chosen.has(code.id)));
      // only when the pointer itself moves: a list that is drawn anew under it was not pointed at
      option.addEventListener("pointermove", (event) => this.#pointAt(event, code.id));
      option.addEventListener("focus", () => this.look(code.id));
      option.addEventListener("click", (event) => {
        this.choose(one.facet.id, code.id);
        const to = event.detail > 0 ? document.querySelector("#unit") : this.#root.querySelector(".active .option");
        to?.focus({ preventScroll: true });
      });
      return make("li", {}, option);
    });
    return make("ol", { className: "options" }, ...items);
  }

  #drawSecond(one) {
    const row = make("p", { className: "second" });
    for (const code of one.second) {
      const chip = make("button", { type: "button", className: "crumb", title: "Take it away" }, `also ${code} ×`);
      chip.addEventListener("click", () => {
        one.second = one.second.filter((other) => other !== code);
        this.draw();
      });
      row.append(chip);
    }
    if (one.draft === null) {
      const add = make("button", { type: "button", className: "quiet" }, "Add a second code");
      add.addEventListener("click", () => {
        one.draft = [];
        this.#look = "";
        this.draw();
      });
      row.append(add);
    } else {
      const last = one.draft.at(-1);
      if (last) {
        const take = make("button", { type: "button" }, `Take ${last.id}`);
        take.addEventListener("click", () => (one.addSecond(last.id), this.draw()));
        row.append(take);
      }
      const leave = make("button", { type: "button", className: "quiet" }, "No second code");
      leave.addEventListener("click", () => ((one.draft = null), this.draw()));
      row.append(leave);
    }
    return row;
  }

  #drawAbout() {
    const one = this.#facets[this.#active];
    const node = one.nodes.get(this.#look) ?? one.nodes.get(one.walked.at(-1)?.id);
    this.#about.replaceChildren(...(node ? describe(node) : [make("p", { className: "note" }, "What a code means stands here while you look at it.")]));
  }
}

/** What a code means, as elements. */
function describe({ code, path }) {
  const list = (heading, items) =>
    items?.length ? [make("h3", {}, heading), make("ul", {}, ...items.map((item) => make("li", {}, item)))] : [];
  return [
    make("p", { className: "kicker" }, path.slice(0, -1).map((parent) => parent.name).join(" › ")),
    make("h2", {}, called(code)),
    make("p", {}, code.definition || "The codebook has no definition yet."),
    ...list("Belongs here", code.include),
    ...list("Belongs elsewhere", code.exclude),
    ...list("Examples", code.examples?.map(({ unit, note }) => (note ? `${unit}: ${note}` : unit))),
    ...list("Also called", code.also),
    code.note ? make("p", { className: "note" }, code.note) : "",
  ];
}
