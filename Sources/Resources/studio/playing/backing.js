// A backing track in this page's headphones: every page plays the same file by itself, at the time of the service's clock
// that the room names (docs/decisions/0042-backing-tracks.md). Nothing of it goes into a track.

import { path, readBytes } from "../base/api.js";
import { memory } from "../base/memory.js";

/** Milliseconds between two looks at how far the sound is from its place, and between two readings of the output's clock. */
const LOOK = 1000;
const READING = 100;
/** Pings before a start, and milliseconds for them, which is less than the time until the sound. */
const PINGS = 8;
const LISTENING = 250;
/** Readings of the output's clock that count. */
const READINGS = 15;
/** Seconds by which the sound may be out of place before it jumps; below the second figure it is left alone. */
const JUMP = 0.015;
const QUIET = 0.002;
/** Seconds in which a smaller error is undone, and the greatest change of speed for that: a hundredth of a semitone. */
const PATIENCE = 10;
const LEAST_HURRY = 0.0005;
/** Seconds from now until the soonest start, and of the fade in and out. */
const SOON = 0.05;
const FADE = 0.01;

/** @typedef {{ backing: string, title: string, duration: number, from: number, at: number }} Play `at`: the service's, in ms. */

/** What the room hears, or null for none and for what cannot be. Pure.
 * @param {any} value @returns {Play | null} */
export function readPlay(value) {
  const { backing, title, duration, from, at } = value ?? {};
  if (typeof backing !== "string" || ![duration, from, at].every(Number.isFinite)) return null;
  return from >= 0 && from < duration ? { backing, title: String(title ?? ""), duration, from, at } : null;
}

/** The second of the backing track that is heard at a time of the service, in milliseconds. Pure.
 * @param {Play} play @param {number} server */
export const placeAt = (play, server) => play.from + (server - play.at) / 1000;

/** The speed that undoes an error, in seconds by which the sound is behind; null if it has to jump. Pure.
 * @param {number} error */
export function speed(error) {
  if (Math.abs(error) > JUMP) return null;
  if (Math.abs(error) < QUIET) return 1;
  return 1 + Math.max(-LEAST_HURRY, Math.min(LEAST_HURRY, error / PATIENCE));
}

/** The clock of an output, from readings of which of its seconds is heard when. Pure. */
export class OutputClock {
  /** @type {number[]} */
  #offsets = [];

  /** `contextTime` in seconds is heard at `pageTime` in milliseconds.
   * @param {number} pageTime @param {number} contextTime */
  sample(pageTime, contextTime) {
    this.#offsets = [...this.#offsets.slice(1 - READINGS), contextTime - pageTime / 1000];
  }

  get count() { return this.#offsets.length; }

  /** The context's time that is heard at a time of the page: the median of the readings; null before the first.
   * @param {number} pageTime */
  at(pageTime) {
    if (!this.#offsets.length) return null;
    const sorted = [...this.#offsets].sort((a, b) => a - b);
    return pageTime / 1000 + sorted[sorted.length >> 1];
  }
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * What plays: `place` is heard at `when`, both in seconds, and from then on at `speed`.
 * @typedef {{ play: Play, buffer: AudioBuffer, source: AudioBufferSourceNode, fade: GainNode, when: number, place: number,
 *   speed: number }} Playing
 */

/** Plays what the room hears. Emits "change". */
export class BackingPlayer extends EventTarget {
  /**
   * What the room hears.
   * @type {Play | null}
   */
  play = null;
  /**
   * Why this page does not play it, or null.
   * @type {string | null}
   */
  problem = null;
  /**
   * The node that everything passes.
   * @type {GainNode | null}
   */
  output = null;
  #studio;
  #room;
  /** @type {AudioContext | null} */
  #context = null;
  #clock = new OutputClock();
  /**
   * What plays, and where it is by its last change.
   * @type {Playing | null}
   */
  #playing = null;
  /**
   * The sound that was asked for last.
   * @type {{ id: string, buffer: Promise<AudioBuffer> } | null}
   */
  #sound = null;
  /** @type {ReturnType<typeof setInterval>[]} */
  #timers = [];
  #isClosed = false;

  /** @param {Studio} studio @param {string} room */
  constructor(studio, room) {
    super();
    this.#studio = studio;
    this.#room = room;
  }

  get volume() { return memory.read("backing-volume", 0.8); }
  set volume(volume) {
    memory.write("backing-volume", volume);
    this.output?.gain.setTargetAtTime(volume, this.output.context.currentTime, FADE);
  }

  /** The second of the backing track that everybody should hear now; null without one. */
  get position() {
    const server = this.#studio.serverClock.at(performance.now());
    if (!this.play || server === null) return null;
    const place = placeAt(this.play, server);
    return place < this.play.duration ? Math.max(this.play.from, place) : null;
  }

  /** The page's time in milliseconds at which the output's second is heard; for measurements.
   * @param {number} contextTime */
  heardAt(contextTime) {
    const now = performance.now(), present = this.#clock.at(now);
    return present === null ? null : now + 1000 * (contextTime - present);
  }

  /** Loads and decodes a backing track, so that it is there when it is started.
   * @param {string} id */
  prepare(id) {
    if (this.#sound?.id === id) return this.#sound.buffer;
    const buffer = this.#load(id);
    this.#sound = { id, buffer };
    // The next attempt loads it anew.
    buffer.catch(() => { if (this.#sound?.buffer === buffer) this.#sound = null; });
    return buffer;
  }

  /** Plays what the room hears from now on: an event's or a response's `playing`.
   * @param {any} value */
  async follow(value) {
    const play = readPlay(value);
    if (play?.at === this.play?.at && play?.backing === this.play?.backing && this.problem === null) return;
    this.play = play;
    this.problem = null;
    this.#stop();
    this.dispatchEvent(new Event("change"));
    if (!play) return;
    const server = () => this.#studio.serverClock.at(performance.now());
    const isWanted = () => !this.#isClosed && this.play === play && placeAt(play, server() ?? play.at) < play.duration;
    try {
      const [buffer] = await Promise.all([this.prepare(play.backing), this.#askTheTime()]);
      while (isWanted() && (this.#clock.count < 5 || server() === null)) await pause(READING / 4);
      if (isWanted()) this.#start(play, buffer);
    } catch (/** @type {any} */ error) {
      if (this.play !== play) return;
      this.problem = error.message;
      this.dispatchEvent(new Event("change"));
    }
  }

  close() {
    this.#isClosed = true;
    this.play = null;
    this.#stop();
    for (const timer of this.#timers) clearInterval(timer);
    removeEventListener("pointerdown", this.#wake);
    this.#context?.close();
  }

  /** The time by the quickest of some pings: a single one on a busy machine may be wrong by 10 ms. */
  async #askTheTime() {
    const until = performance.now() + LISTENING;
    for (let ping = 0; ping < PINGS && performance.now() < until; ping += 1) {
      const sent = performance.now(), answer = await this.#studio.request("ping", { t: sent }).catch(() => null);
      if (answer) this.#studio.serverClock.sample(sent, performance.now(), answer.serverTime);
    }
  }

  // -- sound

  #open() {
    // A late request gets no context, which nobody would close.
    if (this.#isClosed) throw new Error("The room was left.");
    if (this.#context) return this.#context;
    const context = this.#context = new AudioContext({ latencyHint: "interactive" });
    this.output = new GainNode(context, { gain: this.volume });
    this.output.connect(context.destination);
    this.#studio.sound?.ears.sendTo(context);
    this.#timers = [setInterval(() => this.#read(context), READING), setInterval(() => this.#look(), LOOK)];
    // Browsers hold sound back until the first click.
    addEventListener("pointerdown", this.#wake);
    this.#wake();
    return context;
  }

  #wake = () => { if (this.#context?.state === "suspended") this.#context.resume().catch(() => {}); };

  /** @param {AudioContext} context */
  #read(context) {
    if (context.state !== "running") return;
    // Firefox is asked for no latency (takes/output.js): there the sound is heard a little later.
    if ("mozInnerScreenX" in globalThis) return void this.#clock.sample(performance.now(), context.currentTime);
    const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
    if (contextTime > 0) this.#clock.sample(performanceTime, contextTime);
  }

  /** @param {string} id */
  async #load(id) {
    const context = this.#open(), address = `${path("rooms", this.#room, "backings", id, "sound")}?format=`;
    /** @param {string} format */
    const fetched = async (format) => context.decodeAudioData(await readBytes(address + format));
    if (!new Audio().canPlayType('audio/ogg; codecs="opus"')) return fetched("flac");
    return fetched("opus").catch(() => fetched("flac"));
  }

  /** @param {Play} play @param {AudioBuffer} buffer */
  #start(play, buffer) {
    const now = performance.now(), context = this.#open(), server = this.#studio.serverClock.at(now), heard = this.#clock.at(now);
    if (server === null || heard === null || !this.output) return;
    let when = heard + play.from - placeAt(play, server), place = play.from;
    const soonest = context.currentTime + SOON;
    if (when < soonest) {
      place += soonest - when;
      when = soonest;
    }
    if (place >= buffer.duration) return;
    const fade = new GainNode(context, { gain: 0 });
    fade.gain.setValueAtTime(0, when);
    fade.gain.linearRampToValueAtTime(1, when + (place > 0 ? FADE : 0));
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(fade).connect(this.output);
    source.start(when, place);
    this.#playing = { play, buffer, source, fade, when, place, speed: 1 };
  }

  #stop() {
    if (!this.#playing) return;
    const { source, fade } = this.#playing, now = fade.context.currentTime;
    fade.gain.cancelScheduledValues(now);
    fade.gain.setTargetAtTime(0, now, FADE / 3);
    source.stop(now + 2 * FADE);
    this.#playing = null;
  }

  /** Keeps the sound at its place: the clocks of sound cards and of the service are not the same. */
  #look() {
    const now = performance.now(), server = this.#studio.serverClock.at(now), heard = this.#clock.at(now), playing = this.#playing;
    if (!playing || server === null || heard === null || heard < playing.when) return;
    const { play, buffer, source, when, place, speed: former } = playing;
    const next = speed(placeAt(play, server) - (place + (heard - when) * former));
    if (next === null) {
      this.#stop();
      this.#start(play, buffer);
    } else if (next !== former) {
      const change = source.context.currentTime;
      this.#playing = { ...playing, when: change, place: place + (change - when) * former, speed: next };
      source.playbackRate.setValueAtTime(next, change);
    }
  }
}
