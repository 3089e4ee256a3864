// Fetches and decodes the deck's sound: which stretches are needed when is decided by deck-loader.js, how much the line
// carries by line.js.
//
// There are two roads to the same samples. Opus, in segments that the server has made once (docs/rest.md, "Listening"),
// is there at once on any line. FLAC is exact. A stretch comes with the instant before it, so that the audio thread can
// fade from one to the other.

import { readBytes } from "../base/api.js";
import { DeckLoader, CHUNK, LEAD, RATE } from "./deck-loader.js";
import { Line } from "./line.js";

/** Most stretches requested at a time: a browser has six connections, and the page needs some. */
const AT_ONCE = 4;
/** Sound in every Opus segment before its own, for the decoder to run in: 80 ms. */
const PREROLL = 3_840;
/** Bytes a second of one channel of FLAC with 24 bits, on the high side. */
const FLAC_RATE = 120_000;
/** FLAC is fetched for places so far ahead at least; what is needed sooner comes by the quick road. */
const SOON = 2 * CHUNK;
/** A track without segments is asked again after so long: the server makes them when they are first missed. */
const AGAIN = 5_000;

/** @typedef {DeckTrack & { missing: number }} Supplied `missing`: when it had no segments */

export class Supply {
  /** "auto": Opus at once, FLAC as soon as the line bears it; "full": FLAC; "light": Opus. */
  quality = "auto";
  /** For decoding only: needs no permission to make sound, so the first stretches are ready before "play". */
  #decoder = new OfflineAudioContext(1, 1, RATE);
  #loader = new DeckLoader();
  #line = new Line();
  /** id → {length, channels, gain, address(start, duration), segment(index), missing (when it had no segments)}
   * @type {Map<string, Supplied>} */
  #tracks = new Map();
  /** @type {Map<string, AbortController>} */
  #underway = new Map();
  #does;
  /** @type {[position: number, loop: Loop | null, end: number] | null} */
  #last = null;
  #closed = false;

  /** `does`: {chunk(message, transfer), drop(id, index), silence(id), problem(error)}
   * @param {{ chunk(message: ChunkMessage, transfer: Transferable[]): void, drop(id: string, index: number): void, silence(id: string): void, problem(error: unknown): void }} does */
  constructor(does) {
    this.#does = does;
  }

  /** Bytes a second that the line was seen to carry. */
  get rate() { return this.#line.rate; }

  /** @param {DeckTrack} track @param {number} shift */
  add(track, shift) {
    this.remove(track.id);
    this.#tracks.set(track.id, { ...track, missing: -Infinity });
    this.#loader.add(track.id, track.length, shift);
  }

  /** @param {string} id */
  remove(id) {
    this.#tracks.delete(id);
    this.#loader.remove(id);
    this.#abandon((name) => name.startsWith(`${id}/`));
  }

  /** @param {string} id @param {number} shift */
  shift(id, shift) { this.#loader.shift(id, shift); }

  /** Lets what failed be requested again. */
  forgive() { this.#loader.forgive(); }

  /** Playback had to wait for sound. */
  starved() {
    this.#line.starved(performance.now());
    this.#loader.forgive();
  }

  /** Fetches what is missing near a position, and drops what is far from it.
   * @param {number} position @param {Loop | null} loop @param {number} end */
  fill(position, loop, end) {
    if (this.#closed) return;
    this.#last = [position, loop, end];
    const { fetch, drop } = this.#loader.plan(Math.floor(position), loop, end);
    for (const { id, index } of drop) {
      this.#loader.set(id, index, null);
      this.#abandon((name) => name === `${id}/${index}`);
      this.#does.drop(id, index);
    }
    for (const wish of fetch.slice(0, Math.max(0, AT_ONCE - this.#underway.size))) this.#fetch(wish);
  }

  close() {
    this.#closed = true;
    this.#abandon(() => true);
  }

  /** @param {(name: string) => boolean} fits */
  #abandon(fits) {
    for (const [name, controller] of this.#underway) {
      if (!fits(name)) continue;
      this.#underway.delete(name);
      controller.abort();
    }
  }

  /** @param {Supplied} track @param {number} urgency */
  #takesSegments(track, urgency) {
    if (!track.segment || this.quality === "full") return false;
    const now = performance.now();
    if (now - track.missing < AGAIN) return false;
    if (this.quality === "light" || urgency < SOON) return true;
    const channels = [...this.#tracks.values()].reduce((sum, each) => sum + (each.channels ?? 2), 0);
    return !this.#line.bears(channels * FLAC_RATE, now);
  }

  /** @param {{ id: string, index: number, urgency: number }} wish */
  async #fetch({ id, index, urgency }) {
    const name = `${id}/${index}`, controller = new AbortController(), track = this.#tracks.get(id);
    if (!track) return;
    this.#underway.set(name, controller);
    this.#loader.set(id, index, "coming");
    const isWanted = () => this.#underway.get(name) === controller;
    try {
      const chunk = await this.#read(track, index, urgency, controller.signal);
      if (!isWanted()) return;
      this.#loader.set(id, index, "there");
      const { channels, lead } = chunk;
      this.#does.chunk({ does: "chunk", id, index, ...chunk }, [...channels, ...lead].map(({ buffer }) => buffer));
    } catch (/** @type {any} */ error) {
      if (!isWanted()) return;
      // A track without sound on the server is silent and delays nothing.
      if (error.code === "not-found") {
        this.remove(id);
        this.#does.silence(id);
        return;
      }
      this.#loader.set(id, index, "failed");
      this.#does.problem(error);
    } finally {
      if (isWanted()) this.#underway.delete(name);
      if (this.#last) this.fill(...this.#last);
    }
  }

  /** One stretch by either road: {channels, lead (samples before them, for a fade), isExact}.
   * @param {Supplied} track @param {number} index @param {number} urgency @param {AbortSignal} signal */
  async #read(track, index, urgency, signal) {
    const segment = this.#takesSegments(track, urgency) ? track.segment?.(index) : null;
    if (segment) {
      try {
        const sound = await this.#decode(segment, signal);
        return this.#cut(sound, track, index, PREROLL, false);
      } catch (/** @type {any} */ error) {
        // Not made yet, or the server is older.
        if (error.name === "AbortError" || !["not-found", "not-made"].includes(error.code)) throw error;
        track.missing = performance.now();
      }
    }
    const lead = index && this.quality === "auto" && track.segment ? LEAD : 0;
    const frames = this.#loader.frames(track.id, index) + lead;
    const sound = await this.#decode(track.address((index * CHUNK - lead) / RATE, frames / RATE), signal);
    return this.#cut(sound, track, index, lead, true);
  }

  /** @param {string} address @param {AbortSignal} signal */
  async #decode(address, signal) {
    let bytes = null;
    this.#line.begin(performance.now());
    try {
      bytes = await readBytes(address, signal);
      if (!bytes.byteLength) throw Object.assign(new Error("the sound is not made yet"), { code: "not-made" });
    } finally {
      this.#line.end(performance.now(), bytes?.byteLength ?? null);
    }
    return this.#decoder.decodeAudioData(bytes);
  }

  /** The samples from `first` on at their own level, and up to `LEAD` before them.
   * @param {AudioBuffer} sound @param {Supplied} track @param {number} index @param {number} first @param {boolean} isExact */
  #cut(sound, { gain = 1 }, index, first, isExact) {
    /** @param {number} from @param {number} to */
    const take = (from, to) => Array.from({ length: sound.numberOfChannels }, (_, channel) => {
      const samples = new Float32Array(Math.max(0, to - from));
      sound.copyFromChannel(samples, channel, from);
      if (gain !== 1) for (let n = 0; n < samples.length; n++) samples[n] *= gain;
      return samples;
    });
    return { channels: take(first, sound.length), lead: index && first ? take(first - LEAD, first) : [], isExact };
  }
}
