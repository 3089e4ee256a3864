// Plays mixes in the list: one at a time, on one deck that is made when the first is wanted.

import { path } from "../base/api.js";
import { Deck } from "./deck.js";
import { RATE } from "./deck-loader.js";
import { linear } from "./mixing.js";

/** Everything is played so loud that takes can be told apart by what they are, not by how loud they are. */
const TARGET = -18;
/** No more than so many dB are added for that, or noise would come up. */
const MOST = 6;

/** Events: "change" (another take, or a state), "report" (the position has moved), "problem". */
export class Preview extends EventTarget {
  #deck = null;
  take = null;

  get state() { return this.take ? this.#deck.state : "stopped"; }
  /** From 0 to 1. */
  get share() { return this.take && this.#deck.end ? this.#deck.position / this.#deck.end : 0; }
  get deck() { return this.#deck; }

  /** Plays a take's mix, or stops it; `share` says from where. */
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
