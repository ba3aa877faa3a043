// Answers on their way to the server. Each is kept in the browser until the server says it has it, and they go one by
// one in the order in which they were given. The server knows each by its key, so one that is sent twice counts once.

import { Kept, keptNames } from "./store.js";

const PATIENCE = [1, 2, 4, 8, 15, 30]; // seconds between attempts
const PASSING = new Set([401, 403, 408, 429]); // of the answers from 400 to 499, those that may be another one later

/** Tells "change" whenever something was put, sent, refused or found no connection; see `state`. */
export class Outbox extends EventTarget {
  #person;
  #csrf;
  #count = 0;
  #failures = 0;
  #running = null;
  #timer = 0;
  state = "saved"; // saved, saving, offline, or blocked (sign in again)

  constructor(person, csrf) {
    super();
    this.#person = person;
    this.#csrf = csrf;
    if (this.waiting.length) this.state = "saving";
    addEventListener("online", () => this.flush());
    addEventListener("visibilitychange", () => this.waiting.length && this.flush());
  }

  /** What waits, oldest first. */
  get waiting() {
    return this.#kept("out.");
  }

  /** What the server could not write down, with its reasons: it stays until it is sent again or thrown away. */
  get refused() {
    return this.#kept("refused.");
  }

  /** Sends again what was refused; it goes to the end of the line. */
  resend(name) {
    const { path, body, about } = new Kept(this.#person, name).read();
    this.discard(name);
    return this.put(path, body, about);
  }

  discard(name) {
    new Kept(this.#person, name).remove();
  }

  /** Notes that something else was said of a report since an answer was refused. */
  #overtake(unit) {
    for (const { name, ...item } of this.refused) {
      if (item.body.unit === unit) new Kept(this.#person, name).write({ ...item, isOvertaken: true });
    }
  }

  #kept(start) {
    return keptNames(this.#person, start).map((name) => ({ ...new Kept(this.#person, name).read(), name }));
  }

  /** Keeps an answer and sends it; `body.key` identifies it, `about` is the report's title, for people. */
  put(path, body, about = "") {
    const place = `${String(Date.now()).padStart(15, "0")}.${String(this.#count++).padStart(6, "0")}`;
    new Kept(this.#person, `out.${place}.${body.key}`).write({ path, body, about });
    this.#tell("saving");
    return this.flush();
  }

  /** Sends all that waits; resolves to true when nothing is left. */
  flush() {
    clearTimeout(this.#timer);
    this.#running ??= this.#alone(() => this.#sendAll()).finally(() => (this.#running = null));
    return this.#running;
  }

  #alone(work) {
    const name = `issuebook.${this.#person}.outbox`;
    return navigator.locks ? navigator.locks.request(name, work) : work();
  }

  async #sendAll() {
    for (let item = this.waiting[0]; item; item = this.waiting[0]) {
      const outcome = await this.#send(item);
      if (outcome === "again") continue;
      if (outcome !== "done") return false;
    }
    this.#failures = 0;
    this.#tell("saved");
    return true;
  }

  async #send(item, retried = false) {
    const answer = await this.post(item.path, item.body);
    const kept = new Kept(this.#person, item.name);
    if (answer.status === 200) {
      kept.remove();
      if (item.body.unit) this.#overtake(item.body.unit);
      this.dispatchEvent(new CustomEvent("sent", { detail: { item, data: answer.data } }));
      return "done";
    }
    if (answer.status === 403 && !retried && (await this.#newToken())) return this.#send(item, true);
    if (answer.status === 401 || answer.status === 403) {
      this.#tell("blocked");
      return "blocked";
    }
    if (answer.status >= 400 && answer.status < 500 && !PASSING.has(answer.status)) {
      kept.remove();
      const refused = { path: item.path, body: item.body, about: item.about, faults: answer.data?.faults ?? [`The server answered ${answer.status}.`] };
      new Kept(this.#person, item.name.replace(/^out\./, "refused.")).write(refused);
      this.dispatchEvent(new CustomEvent("refused", { detail: refused }));
      return "again";
    }
    this.#tell("offline");
    const wait = PATIENCE[Math.min(this.#failures++, PATIENCE.length - 1)];
    this.#timer = setTimeout(() => this.flush(), wait * 1000);
    return "offline";
  }

  /** Posts JSON; status 0 when there is no connection. */
  async post(path, body, options = {}) {
    const headers = { "content-type": "application/json", accept: "application/json", "x-csrf-token": this.#csrf };
    try {
      const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), ...options });
      return { status: answer.status, data: await answer.json().catch(() => null) };
    } catch {
      return { status: 0, data: null };
    }
  }

  /** After the server was started anew, its forms carry another token. */
  async #newToken() {
    try {
      const answer = await fetch("/label/token", { headers: { accept: "application/json" } });
      const { person, csrf } = await answer.json();
      if (!answer.ok || person !== this.#person || csrf === this.#csrf) return false;
      this.#csrf = csrf;
      return true;
    } catch {
      return false;
    }
  }

  #tell(state) {
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}
