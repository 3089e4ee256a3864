// The deck: plays the tracks of a take, or of two takes one against the other, sample by sample at one position.
//
// Sound is fetched in stretches of 4 s, decoded here and handed to the audio thread (deck-worklet.js); deck-loader.js
// decides what is needed when. Events: "state", "report" (about 47 a second while it plays), "problem" (detail: an
// Error).

import { readBytes } from "../base/api.js";
import { DeckLoader, CHUNK, RATE } from "./deck-loader.js";

/** Most stretches requested at a time: a browser has six connections, and the page needs some. */
const AT_ONCE = 4;

export class Deck extends EventTarget {
  #context = null;
  #node = null;
  #starting = null;
  /** For decoding only: needs no permission to make sound, so the first stretches are ready before "play". */
  #decoder = new OfflineAudioContext(1, 1, RATE);
  #loader = new DeckLoader();
  /** id → {side, length, address} */
  #tracks = new Map();
  #sides = new Map();
  #gains = new Map();
  #waiting = [];
  #underway = new Map();
  #turn = 0;
  #position = 0;
  #reportedAt = 0;
  #loop = null;
  #tapes = [];
  #closed = false;

  /** "stopped", "playing" or "waiting" (for sound still being fetched). */
  state = "stopped";
  /** Peaks since the previous report: of each track by id, and of the sum on either side. */
  levels = new Map();
  master = [0, 0];

  /** The context and its output node; null before the first "play". */
  get context() { return this.#context; }
  get output() { return this.#node; }
  get isPlaying() { return this.state !== "stopped"; }
  get loop() { return this.#loop; }

  /** The end of the longer side, in frames. */
  get end() {
    let end = 0;
    for (const { shift, length } of this.#sides.values()) end = Math.max(end, length - shift);
    return end;
  }

  /** The audible position at this moment, in frames, extrapolated since the last report. */
  get position() {
    if (this.state !== "playing") return this.#position;
    const late = (this.#context?.outputLatency || 0) * RATE;
    const since = ((performance.now() - this.#reportedAt) / 1_000) * RATE;
    let position = this.#position + Math.min(since, RATE / 10) - late;
    const loop = this.#loop;
    if (loop && this.#position < loop.to) {
      if (position >= loop.to) position -= loop.to - loop.from;
      // The computed position has restarted the loop; the audible one has not reached its end yet.
      else if (position < loop.from && this.#position >= loop.from && this.#hasLooped) position += loop.to - loop.from;
    }
    return Math.max(0, Math.min(this.end, position));
  }
  #hasLooped = false;

  /**
   * Puts a take's tracks on the deck: [{id, length (frames), address(start, duration)}]. `shift`: how many frames later
   * the same place lies in them.
   */
  load(side, tracks, shift = 0) {
    this.unload(side);
    const length = tracks.reduce((longest, track) => Math.max(longest, track.length), 0);
    this.#sides.set(side, { shift, length });
    for (const track of tracks) {
      this.#tracks.set(track.id, { ...track, side });
      this.#loader.add(track.id, track.length, shift);
      this.#tell({ does: "add", id: track.id, length: track.length, shift, gains: this.#gains.get(track.id) ?? [0, 0],
        end: this.end });
    }
    this.#fill();
  }

  unload(side) {
    const ids = [...this.#tracks].filter(([, track]) => track.side === side).map(([id]) => id);
    if (!this.#sides.delete(side)) return;
    for (const id of ids) {
      this.#tracks.delete(id);
      this.#loader.remove(id);
      this.#abandon((name) => name.startsWith(`${id}/`));
    }
    this.#tell({ does: "remove", ids, end: this.end });
  }

  /** Changes a track's address: the same length, other samples. */
  exchange(id, address) {
    const track = this.#tracks.get(id);
    if (!track) return;
    track.address = address;
    this.#loader.remove(id);
    this.#abandon((name) => name.startsWith(`${id}/`));
    const { shift } = this.#sides.get(track.side);
    this.#loader.add(id, track.length, shift);
    this.#tell({ does: "add", id, length: track.length, shift, gains: this.#gains.get(id) ?? [0, 0], end: this.end });
    this.#fill();
  }

  /** Shifts a side against the other, in frames. */
  shift(side, shift) {
    const place = this.#sides.get(side);
    if (!place) return;
    place.shift = shift;
    const ids = [...this.#tracks].filter(([, track]) => track.side === side).map(([id]) => id);
    for (const id of ids) this.#loader.shift(id, shift);
    this.#tell({ does: "shift", ids, shift, end: this.end, turn: ++this.#turn });
    this.#fill();
  }

  /** Linear gains of tracks, left and right: [[id, [left, right]], …]. They are reached within 10 ms. */
  setGains(gains) {
    for (const [id, pair] of gains) this.#gains.set(id, pair);
    this.#tell({ does: "gains", gains });
  }

  async play() {
    if (this.isPlaying || this.#closed) return;
    if (this.#position >= this.end) this.seek(this.#loop?.from ?? 0);
    this.#loader.forgive();
    this.#become("waiting");
    try {
      await this.#start();
    } catch (error) {
      this.#become("stopped");
      throw error;
    }
    if (this.state === "stopped" || this.#closed) return;
    this.#tell({ does: "play", turn: ++this.#turn });
    this.#fill();
  }

  pause() {
    if (!this.isPlaying) return;
    this.#position = Math.round(this.position);
    this.#tell({ does: "pause" });
    this.#tell({ does: "seek", position: this.#position, turn: ++this.#turn });
    this.#become("stopped");
  }

  toggle() {
    return this.isPlaying ? this.pause() : this.play();
  }

  /** Goes to a position in frames. */
  seek(position) {
    this.#position = Math.max(0, Math.min(this.end, Math.round(position)));
    this.#reportedAt = performance.now();
    this.#hasLooped = false;
    this.#tell({ does: "seek", position: this.#position, turn: ++this.#turn });
    this.#loader.forgive();
    this.#fill();
    this.dispatchEvent(new Event("report"));
  }

  /** Loops seamlessly between two positions in frames; null plays on to the end. */
  set loop(loop) {
    this.#loop = loop && { from: Math.max(0, Math.round(loop.from)), to: Math.min(this.end, Math.round(loop.to)) };
    if (this.#loop && this.#loop.to - this.#loop.from < RATE / 20) this.#loop = null;
    this.#tell({ does: "cycle", loop: this.#loop, turn: ++this.#turn });
    this.#fill();
  }

  /** Captures the next frames of the output: {from (position), left, right}. */
  record(frames) {
    this.#tell({ does: "record", frames });
    return new Promise((resolve) => this.#tapes.push(resolve));
  }

  async close() {
    this.#closed = true;
    this.#abandon(() => true);
    this.#tell({ does: "close" });
    this.#become("stopped");
    const context = this.#context;
    this.#context = this.#node = null;
    await context?.close();
  }

  // The audio thread

  async #start() {
    this.#starting ??= this.#make();
    try {
      await this.#starting;
    } catch (error) {
      this.#starting = null;
      throw error;
    }
    if (this.#context?.state === "suspended") await this.#context.resume();
  }

  async #make() {
    const context = new AudioContext({ sampleRate: RATE, latencyHint: "interactive" });
    await context.audioWorklet.addModule(new URL("./deck-worklet.js", import.meta.url));
    if (this.#closed) return context.close();
    const node = new AudioWorkletNode(context, "jamjar-deck", { numberOfInputs: 0, outputChannelCount: [2] });
    node.port.onmessage = ({ data }) => this.#hear(data);
    node.connect(context.destination);
    this.#context = context;
    this.#node = node;
    for (const [message, transfer] of this.#waiting.splice(0)) node.port.postMessage(message, transfer);
  }

  #tell(message, transfer = []) {
    if (this.#node) this.#node.port.postMessage(message, transfer);
    else if (!this.#closed) this.#waiting.push([message, transfer]);
  }

  #hear({ tape, state, turn, position, levels, master }) {
    if (tape) return this.#tapes.shift()?.(tape);
    if (turn !== this.#turn) return undefined;
    this.levels = new Map(levels);
    this.master = master;
    if (position < this.#position) this.#hasLooped = true;
    if (this.isPlaying || state !== "stopped") {
      this.#position = position;
      this.#reportedAt = performance.now();
    }
    if (state === "ended") this.#become("stopped");
    else if (this.isPlaying && state !== "stopped") {
      if (state === "waiting" && this.state === "playing") this.#loader.forgive();
      this.#become(state);
    }
    // The last fade has been played by now; a suspended context needs no processor time.
    if (state === "stopped" && !this.isPlaying && this.#context?.state === "running") this.#context.suspend();
    this.#fill();
    this.dispatchEvent(new Event("report"));
    return undefined;
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    if (state === "stopped") {
      this.levels = new Map();
      this.master = [0, 0];
    }
    this.dispatchEvent(new Event("state"));
  }

  // Fetching

  #fill() {
    if (this.#closed) return;
    const { fetch, drop } = this.#loader.plan(Math.floor(this.#position), this.#loop, this.end);
    for (const { id, index } of drop) {
      this.#loader.set(id, index, null);
      this.#abandon((name) => name === `${id}/${index}`);
      this.#tell({ does: "drop", id, index });
    }
    for (const { id, index } of fetch.slice(0, Math.max(0, AT_ONCE - this.#underway.size))) this.#fetch(id, index);
  }

  #abandon(fits) {
    for (const [name, controller] of this.#underway) {
      if (!fits(name)) continue;
      this.#underway.delete(name);
      controller.abort();
    }
  }

  /** A track without sound on the server is silent and delays nothing. */
  #silence(id) {
    this.#tracks.delete(id);
    this.#loader.remove(id);
    this.#abandon((name) => name.startsWith(`${id}/`));
    this.#tell({ does: "remove", ids: [id], end: this.end });
  }

  async #fetch(id, index) {
    const name = `${id}/${index}`, controller = new AbortController();
    this.#underway.set(name, controller);
    this.#loader.set(id, index, "coming");
    const { address } = this.#tracks.get(id);
    const isWanted = () => this.#underway.get(name) === controller;
    try {
      const bytes = await readBytes(address((index * CHUNK) / RATE, this.#loader.frames(id, index) / RATE),
        controller.signal);
      const sound = await this.#decoder.decodeAudioData(bytes);
      if (!isWanted()) return;
      const channels = Array.from({ length: sound.numberOfChannels }, (_, channel) => {
        const samples = new Float32Array(sound.length);
        sound.copyFromChannel(samples, channel);
        return samples;
      });
      this.#loader.set(id, index, "there");
      this.#tell({ does: "chunk", id, index, channels }, channels.map(({ buffer }) => buffer));
    } catch (error) {
      if (!isWanted()) return;
      if (error.code === "not-found") {
        this.#silence(id);
        return;
      }
      this.#loader.set(id, index, "failed");
      // A stretch needed later is tried again then; only one that playback waits for is a problem.
      if (this.state === "waiting") this.dispatchEvent(new CustomEvent("problem", { detail: error }));
    } finally {
      if (isWanted()) this.#underway.delete(name);
      this.#fill();
    }
  }
}
