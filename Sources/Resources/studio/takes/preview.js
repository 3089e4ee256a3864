// Plays mixes in the list, one at a time, on one deck that is created on first use.

import { path } from "../base/api.js";
import { Deck } from "./deck.js";
import { RATE } from "./deck-loader.js";
import { linear } from "./mixing.js";
import { quality } from "./player.js";

/** Target loudness: all takes play equally loud, so that loudness does not sway the comparison. */
const TARGET = -18;
/** Most gain to reach the target, in dB; more would raise the noise. */
const MOST = 6;

/** Events: "change" (another take, or a state), "report" (the position has moved), "ended" (a take has played to its end),
 * "problem". */
export class Preview extends /** @type {EmitterOf<{ change: undefined, report: undefined, ended: undefined, problem: Error }>} */ (EventTarget) {
  /** @type {Deck | null} */
  #deck = null;
  /** @type {Take | null} */
  take = null;

  get state() { return this.take && this.#deck ? this.#deck.state : "stopped"; }
  /** The position, 0 to 1. */
  get share() { return this.take && this.#deck?.end ? this.#deck.position / this.#deck.end : 0; }
  get deck() { return this.#deck; }

  /** Plays or stops a take's mix; `share` is the start position, 0 to 1.
   * @param {Take} take @param {number | null} [share] */
  async toggle(take, share = null) {
    const isHere = this.take?.id === take.id, deck = this.#deck ??= this.#made();
    if (isHere && share === null) return deck.toggle();
    if (!isHere) this.#load(deck, take);
    if (share !== null) deck.seek(share * deck.end);
    return deck.play();
  }

  /** @param {Deck} deck @param {Take} take */
  #load(deck, take) {
    deck.pause();
    this.take = take;
    const gain = linear(Math.min(MOST, TARGET - (take.loudness ?? TARGET)));
    deck.load("mix", [{
      id: `mix-${take.id}`, length: Math.round((take.duration ?? 0) * RATE),
      address: (start, duration) => `${path("takes", take.id, "mix")}?start=${start}&duration=${duration}`,
      segment: (index) => path("takes", take.id, "mix", "listening", String(index)),
    }]);
    deck.setGains([[`mix-${take.id}`, [gain, gain]]]);
    deck.seek(0);
    this.dispatchEvent(new Event("change"));
  }

  #made() {
    const deck = new Deck();
    deck.quality = quality();
    deck.addEventListener("state", () => {
      this.dispatchEvent(new Event("change"));
      if (deck.state === "stopped" && deck.position >= deck.end) this.dispatchEvent(new Event("ended"));
    });
    deck.addEventListener("report", () => this.dispatchEvent(new Event("report")));
    deck.addEventListener("problem", ({ detail }) => {
      deck.pause();
      this.dispatchEvent(new CustomEvent("problem", { detail }));
    });
    return deck;
  }

  async close() { await this.#deck?.close(); }
}
