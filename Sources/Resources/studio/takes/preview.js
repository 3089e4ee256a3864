// Plays mixes in the list, one at a time, on one deck that is created on first use.

import { path } from "../base/api.js";
import { Deck } from "./deck.js";
import { RATE } from "./deck-loader.js";
import { linear } from "./mixing.js";

/** Target loudness: all takes play equally loud, so that loudness does not sway the comparison. */
const TARGET = -18;
/** Most gain to reach the target, in dB; more would raise the noise. */
const MOST = 6;

/** Events: "change" (another take, or a state), "report" (the position has moved), "problem". */
export class Preview extends EventTarget {
  #deck = null;
  take = null;

  get state() { return this.take ? this.#deck.state : "stopped"; }
  /** The position, 0 to 1. */
  get share() { return this.take && this.#deck.end ? this.#deck.position / this.#deck.end : 0; }
  get deck() { return this.#deck; }

  /** Plays or stops a take's mix; `share` is the start position, 0 to 1. */
  async toggle(take, share = null) {
    if (this.take?.id === take.id && share === null) return this.#deck.toggle();
    if (this.take?.id !== take.id) this.#load(take);
    if (share !== null) this.#deck.seek(share * this.#deck.end);
    return this.#deck.play();
  }

  #load(take) {
    if (!this.#deck) {
      this.#deck = new Deck();
      this.#deck.addEventListener("state", () => this.dispatchEvent(new Event("change")));
      this.#deck.addEventListener("report", () => this.dispatchEvent(new Event("report")));
      this.#deck.addEventListener("problem", ({ detail }) => {
        this.#deck.pause();
        this.dispatchEvent(new CustomEvent("problem", { detail }));
      });
    }
    this.#deck.pause();
    this.take = take;
    const gain = linear(Math.min(MOST, TARGET - (take.loudness ?? TARGET)));
    this.#deck.load("mix", [{
      id: `mix-${take.id}`, length: Math.round(take.duration * RATE),
      address: (start, duration) => `${path("takes", take.id, "mix")}?start=${start}&duration=${duration}`,
    }]);
    this.#deck.setGains([[`mix-${take.id}`, [gain, gain]]]);
    this.#deck.seek(0);
    this.dispatchEvent(new Event("change"));
  }

  async close() { await this.#deck?.close(); }
}
