// The reports of a round as they go through one pair of hands: those ahead are fetched before they are needed, those
// behind are kept so that an undo shows them at once.

const AHEAD = 2; // reports held besides the one that is shown; each is kept for this person until its lease ends
const BEHIND = 20;

export class Deck {
  #outbox;
  #fetching = null;
  ahead = [];
  behind = [];

  constructor(first, outbox) {
    this.current = first;
    this.#outbox = outbox;
  }

  /** Puts the shown report behind, with what was said of it, and returns the next one: a unit, or why there is none. */
  async next(said) {
    this.behind = [...this.behind, { unit: this.current, said }].slice(-BEHIND);
    this.current = null;
    return this.resume();
  }

  /** Returns the next report when none is shown: a unit, or why there is none. */
  async resume() {
    if (!this.ahead.length) await this.#fetchWhatIsNew();
    this.current = this.ahead.shift() ?? null;
    this.refill();
    return this.current ?? this.nothing;
  }

  /** Whether the next report is here already. */
  get isReady() {
    return this.ahead.length > 0;
  }

  /** Returns the report before this one and what was said of it; null when the page has no memory of one. */
  back() {
    const last = this.behind.pop();
    if (!last) return null;
    this.put(last.unit);
    return last;
  }

  /** Shows a report now; the one that was shown comes after it. */
  put(unit) {
    if (this.current) this.ahead.unshift(this.current);
    this.current = unit;
  }

  /** Fetches reports until enough are ahead; quiet about lost connections, since `next` asks again. */
  refill() {
    this.#fetching ??= this.#fill().finally(() => (this.#fetching = null));
    return this.#fetching;
  }

  async #fill() {
    while (this.current && this.ahead.length < AHEAD) {
      const found = await this.#ask();
      if (!found?.unit) return;
      if (this.#held().includes(found.unit)) return;
      this.ahead.push(found);
    }
  }

  async #fetchWhatIsNew() {
    await this.#fetching;
    if (this.ahead.length) return;
    await this.#outbox.flush();
    const found = await this.#ask();
    if (found?.unit) this.ahead.push(found);
    else this.nothing = found ?? { reason: "offline", explanation: "No connection: the next report comes when it is back. What you said is kept in this browser." };
  }

  /** The reports that the page holds or has not told the server about: the next one is none of them. */
  #held() {
    const sent = this.#outbox.waiting.map((item) => item.body.unit).filter(Boolean);
    return [...new Set([...sent, ...(this.current ? [this.current.unit] : []), ...this.ahead.map(({ unit }) => unit)])];
  }

  async #ask() {
    const query = new URLSearchParams({ round: this.round });
    for (const unit of this.#held()) query.append("after", unit);
    return get(`/label/next?${query}`);
  }
}

/** Fetches JSON; null without a connection or a good answer. */
export async function get(path) {
  try {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
