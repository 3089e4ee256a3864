// The player: one take, or two against each other (A and B), on one deck at one position.

import { path } from "../base/api.js";
import { memory } from "../base/memory.js";
import { Deck } from "./deck.js";
import { RATE } from "./deck-loader.js";
import { Mixing, linear } from "./mixing.js";

const QUALITY = "sound-quality";
const QUALITIES = ["auto", "full", "light"];

/** The quality that this browser was set to. */
export const quality = () => {
  const kept = memory.read(QUALITY);
  return QUALITIES.includes(kept) ? kept : "auto";
};

/** One take on the deck. */
export class Side {
  mixing;
  /** How much later than in A the same place lies in this take, in seconds. */
  shift = 0;
  /** Plays the musicians' lossless copies if they exist. */
  isLossless = false;

  /** @param {"a" | "b"} name @param {TakeStore} store */
  constructor(name, store) {
    this.name = name;
    this.store = store;
    this.mixing = new Mixing(store.id);
  }

  get tracks() { return this.store.tracks; }
  get hasLossless() { return this.tracks.some((track) => track.lossless); }

  /** Where a track's sound is, and the gain that restores its level.
   * @param {Track} track @returns {SoundPlace} */
  sound(track) {
    const isLossless = Boolean(this.isLossless && track.lossless);
    /** @param {...string} pieces */
    const part = (...pieces) => path("takes", this.store.id, "tracks", track.id, ...pieces);
    const audio = `${part("audio")}?${isLossless ? "source=lossless&" : ""}`;
    return {
      address: (start, duration) => `${audio}start=${start}&duration=${duration}`,
      segment: (index) => part("listening", String(index)) + (isLossless ? "?source=lossless" : ""),
      gain: isLossless ? linear(track.lossless?.gain ?? 0) : 1,
      channels: track.channels ?? 2,
    };
  }
}

/** Events: "sides" (another take, or the other side is heard), "mix", "loop". */
export class Player extends /** @type {EmitterOf<{ sides: undefined, mix: undefined, loop: undefined }>} */ (EventTarget) {
  deck = new Deck();
  a;
  /** @type {Side | null} */
  b = null;
  /** The side that is heard. */
  heard;
  /** Makes both sides equally loud. */
  isMatched = true;
  /** Sides whose files are others now than those on the deck.
   * @type {Set<Side>} */
  #outdated = new Set();

  /** @param {TakeStore} store */
  constructor(store) {
    super();
    this.deck.quality = quality();
    this.a = this.heard = this.#side("a", store);
    this.deck.addEventListener("state", () => this.#update());
  }

  /** @param {"a" | "b"} name @param {TakeStore} store */
  #side(name, store) {
    const side = new Side(name, store);
    side.mixing.addEventListener("change", () => this.#mix());
    this.deck.load(name, side.tracks.map((track) => this.#track(side, track)));
    queueMicrotask(() => this.#mix());
    return side;
  }

  /** @param {Side} side @param {Track} track */
  #track(side, track) {
    return { id: track.id, length: Math.round((track.duration ?? side.store.take.duration ?? 0) * RATE),
      ...side.sound(track) };
  }

  get sides() { return this.b ? [this.a, this.b] : [this.a]; }

  /** Adds another take as B.
   * @param {TakeStore} store */
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

  /** Switches to the other side, in a crossfade of 10 ms at the same position.
   * @param {Side | null} side */
  hear(side) {
    if (!side || side === this.heard) return;
    this.heard = side;
    this.#mix();
    this.dispatchEvent(new Event("sides"));
  }

  switch() { this.hear(this.heard === this.a ? this.b : this.a); }

  /** Attenuation of a side for equal loudness, in dB; the louder side is turned down, so that nothing clips.
   * @param {Side} side */
  matching(side) {
    const own = side.store.take.loudness, loudness = this.sides.flatMap((each) => each.store.take.loudness ?? []);
    if (!this.b || !this.isMatched || own === null || loudness.length < this.sides.length) return 0;
    return Math.min(...loudness) - own;
  }

  /** @param {boolean} isMatched */
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

  /** Moves B against A by seconds; 0 links the positions.
   * @param {number} seconds */
  shift(seconds) {
    if (!this.b) return;
    this.b.shift = seconds;
    this.deck.shift("b", Math.round(seconds * RATE));
    this.dispatchEvent(new Event("sides"));
  }

  /** @param {boolean} isLossless */
  lossless(isLossless) {
    for (const side of this.sides) {
      if (side.isLossless === isLossless) continue;
      side.isLossless = isLossless;
      this.#exchange(side);
    }
  }

  /** "auto", "full" (FLAC) or "light" (Opus); this browser remembers it. */
  set quality(wanted) {
    memory.write(QUALITY, wanted === "auto" ? null : wanted);
    this.deck.quality = wanted;
    for (const side of this.sides) this.#exchange(side, side.tracks);
  }
  get quality() { return this.deck.quality; }

  /** @param {Side} side @param {Track[]} [tracks] */
  #exchange(side, tracks = side.tracks.filter(({ lossless }) => lossless)) {
    for (const track of tracks) this.deck.exchange(track.id, side.sound(track));
  }

  /** Takes in a lossless copy that arrived while the take is open.
   * @param {Side} side */
  renewed(side) {
    if (side.isLossless) this.#exchange(side);
    this.dispatchEvent(new Event("sides"));
  }

  /** Takes in files that were rendered again. They have to be fetched first, so what is heard goes on until it stops.
   * @param {Side} side */
  rerendered(side) {
    this.#outdated.add(side);
    this.#update();
  }

  #update() {
    if (this.deck.isPlaying) return;
    for (const side of this.#outdated) if (this.sides.includes(side)) this.#exchange(side, side.tracks);
    this.#outdated.clear();
  }

  /** The position in a side's own time, in seconds. */
  time(side = this.heard) { return this.deck.position / RATE + side.shift; }

  /** @param {number} seconds */
  seek(seconds, side = this.heard) { this.deck.seek((seconds - side.shift) * RATE); }

  /** In A's time, in seconds. */
  get length() { return this.deck.end / RATE; }

  /** {from, to} in a side's own time, or null. */
  loop(side = this.heard) {
    const { loop } = this.deck;
    return loop && { from: loop.from / RATE + side.shift, to: loop.to / RATE + side.shift };
  }

  /** @param {number | null} from @param {number} [to] @param {Side} [side] */
  setLoop(from, to, side = this.heard) {
    this.deck.loop = from === null || to === undefined ? null : { from: (from - side.shift) * RATE, to: (to - side.shift) * RATE };
    this.dispatchEvent(new Event("loop"));
  }

  close() { return this.deck.close(); }
}
