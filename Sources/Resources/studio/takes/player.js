// The player: one take, or two against each other (A and B), on one deck at one position.

import { path } from "../base/api.js";
import { Deck } from "./deck.js";
import { RATE } from "./deck-loader.js";
import { Mixing, linear } from "./mixing.js";

/** One take on the deck. */
export class Side {
  mixing;
  /** How much later than in A the same place lies in this take, in seconds. */
  shift = 0;
  /** Plays the musicians' lossless copies if they exist. */
  isLossless = false;

  constructor(name, store) {
    this.name = name;
    this.store = store;
    this.mixing = new Mixing(store.id);
  }

  get tracks() { return this.store.tracks; }
  get hasLossless() { return this.tracks.some((track) => track.lossless); }

  address(track) {
    const source = this.isLossless && track.lossless ? "source=lossless&" : "";
    const base = path("takes", this.store.id, "tracks", track.id, "audio");
    return (start, duration) => `${base}?${source}start=${start}&duration=${duration}`;
  }
}

/** Events: "sides" (another take, or the other side is heard), "mix", "loop". */
export class Player extends EventTarget {
  deck = new Deck();
  a;
  b = null;
  /** The side that is heard. */
  heard;
  /** Makes both sides equally loud. */
  isMatched = true;

  constructor(store) {
    super();
    this.a = this.heard = this.#side("a", store);
  }

  #side(name, store) {
    const side = new Side(name, store);
    side.mixing.addEventListener("change", () => this.#mix());
    this.deck.load(name, side.tracks.map((track) => this.#track(side, track)));
    queueMicrotask(() => this.#mix());
    return side;
  }

  #track(side, track) {
    return { id: track.id, length: Math.round((track.duration ?? side.store.take.duration) * RATE),
      address: side.address(track) };
  }

  get sides() { return this.b ? [this.a, this.b] : [this.a]; }

  /** Adds another take as B. */
  compare(store) {
    this.part();
    this.b = this.#side("b", store);
    this.dispatchEvent(new Event("sides"));
  }

  /** Back to one take. */
  part() {
    if (!this.b) return;
    this.heard = this.a;
    this.deck.unload("b");
    this.b = null;
    this.#mix();
    this.dispatchEvent(new Event("sides"));
  }

  /** Switches to the other side, in a crossfade of 10 ms at the same position. */
  hear(side) {
    if (!side || side === this.heard) return;
    this.heard = side;
    this.#mix();
    this.dispatchEvent(new Event("sides"));
  }

  switch() { this.hear(this.heard === this.a ? this.b : this.a); }

  /** Attenuation of a side for equal loudness, in dB; the louder side is turned down, so that nothing clips. */
  matching(side) {
    const loudness = this.sides.map((each) => each.store.take.loudness);
    if (!this.b || !this.isMatched || loudness.some((value) => typeof value !== "number")) return 0;
    return Math.min(...loudness) - side.store.take.loudness;
  }

  match(isMatched) {
    this.isMatched = isMatched;
    this.#mix();
  }

  #mix() {
    for (const side of this.sides) {
      const level = side === this.heard ? linear(this.matching(side)) : 0;
      this.deck.setGains(side.mixing.gains(side.tracks, level));
    }
    this.dispatchEvent(new Event("mix"));
  }

  /** Moves B against A by seconds; 0 links the positions. */
  shift(seconds) {
    if (!this.b) return;
    this.b.shift = seconds;
    this.deck.shift("b", Math.round(seconds * RATE));
    this.dispatchEvent(new Event("sides"));
  }

  lossless(isLossless) {
    for (const side of this.sides) {
      if (side.isLossless === isLossless) continue;
      side.isLossless = isLossless;
      this.#exchange(side);
    }
  }

  #exchange(side) {
    for (const track of side.tracks) if (track.lossless) this.deck.exchange(track.id, side.address(track));
  }

  /** Takes in a lossless copy that arrived while the take is open. */
  renewed(side) {
    if (side.isLossless) this.#exchange(side);
    this.dispatchEvent(new Event("sides"));
  }

  /** The position in a side's own time, in seconds. */
  time(side = this.heard) { return this.deck.position / RATE + side.shift; }

  seek(seconds, side = this.heard) { this.deck.seek((seconds - side.shift) * RATE); }

  /** In A's time, in seconds. */
  get length() { return this.deck.end / RATE; }

  /** {from, to} in a side's own time, or null. */
  loop(side = this.heard) {
    const { loop } = this.deck;
    return loop && { from: loop.from / RATE + side.shift, to: loop.to / RATE + side.shift };
  }

  setLoop(from, to, side = this.heard) {
    this.deck.loop = from === null ? null : { from: (from - side.shift) * RATE, to: (to - side.shift) * RATE };
    this.dispatchEvent(new Event("loop"));
  }

  close() { return this.deck.close(); }
}
