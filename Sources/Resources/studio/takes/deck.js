// The deck: plays the tracks of a take, or of two takes one against the other, sample by sample at one position.
//
// Sound is fetched in stretches of 2 s and decoded (supply.js), then handed to the audio thread (deck-worklet.js).
// Events: "state", "report" (about 47 a second while it plays), "problem" (detail: an Error).

import { RATE } from "./deck-loader.js";
import { latency, noOutput, PATIENCE } from "./output.js";
import { Playhead } from "./playhead.js";
import { Supply } from "./supply.js";

const WORKLET = new URL("./deck-worklet.js", import.meta.url);

export class Deck extends /** @type {EmitterOf<{ state: undefined, report: undefined, problem: Error }>} */ (EventTarget) {
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {AudioWorkletNode | null} */
  #node = null;
  /** @type {Promise<unknown> | null} */
  #starting = null;
  #supply = new Supply({
    chunk: (message, transfer) => {
      this.roads[message.isExact ? "full" : "light"] += 1;
      this.#tell(message, transfer);
    },
    drop: (id, index) => this.#tell({ does: "drop", id, index }),
    silence: (id) => {
      this.#tracks.delete(id);
      this.#tell({ does: "remove", ids: [id], end: this.end });
    },
    // A stretch needed later is tried again then; only one that playback waits for is a problem.
    problem: (error) => { if (this.state === "waiting") this.#complain(error); },
  });
  /** id → {side, length, address, …}; see `load`
   * @type {Map<string, DeckTrack & { side: string }>} */
  #tracks = new Map();
  /** @type {Map<string, { shift: number, length: number }>} */
  #sides = new Map();
  /** @type {Map<string, Pair>} */
  #gains = new Map();
  /** @type {[object, Transferable[]][]} */
  #waiting = [];
  /** @type {Promise<void> | null} */
  #suspending = null;
  #turn = 0;
  #head = new Playhead();
  /** @type {Loop | null} */
  #loop = null;
  /** @type {((tape: Tape) => void)[]} */
  #tapes = [];
  #closed = false;

  /** "stopped", "playing" or "waiting" (for sound still being fetched).
   * @type {DeckState} */
  state = "stopped";
  /** Peaks since the previous report: of each track by id, and of the sum on either side.
   * @type {Map<string, number>} */
  levels = new Map();
  /** @type {Pair} */
  master = [0, 0];
  /** Stretches that came as FLAC and as Opus. */
  roads = { full: 0, light: 0 };

  /** "auto", "full" or "light"; see Supply. What is already here stays. */
  get quality() { return this.#supply.quality; }
  set quality(quality) { this.#supply.quality = quality; }
  /** Bytes a second that the line was seen to carry. */
  get rate() { return this.#supply.rate; }

  /** The context and its output node; null before the first "play". */
  get context() { return this.#context; }
  get output() { return this.#node; }
  get isPlaying() { return this.state !== "stopped"; }
  get loop() { return this.#loop; }

  /** The end of the longer side, in frames. */
  get end() { return Math.max(0, ...[...this.#sides.values()].map(({ shift, length }) => length - shift)); }

  /** The audible position at this moment, in frames, extrapolated since the last report. */
  get position() { return this.state === "playing" ? this.#head.heard(this.#loop, this.end) : this.#head.reported; }

  /**
   * Puts a take's tracks on the deck: [{id, length (frames), channels, address(start, duration), segment(index),
   * gain}]. `segment` is null for a track without Opus; `gain` (linear) restores the level of a file with headroom.
   * `shift`: how many frames later the same place lies in them.
   * @param {string} side @param {DeckTrack[]} tracks @param {number} [shift]
   */
  load(side, tracks, shift = 0) {
    this.unload(side);
    const length = tracks.reduce((longest, track) => Math.max(longest, track.length), 0);
    this.#sides.set(side, { shift, length });
    for (const track of tracks) {
      this.#tracks.set(track.id, { ...track, side });
      this.#supply.add(track, shift);
      this.#tell({ does: "add", id: track.id, length: track.length, shift, gains: this.#gains.get(track.id) ?? [0, 0],
        end: this.end });
    }
    this.#warm();
    this.#fill();
  }

  /** @param {string} side */
  unload(side) {
    const ids = this.#idsOf(side);
    if (!this.#sides.delete(side)) return;
    for (const id of ids) {
      this.#tracks.delete(id);
      this.#supply.remove(id);
    }
    this.#tell({ does: "remove", ids, end: this.end });
  }

  /** Changes a track's addresses: the same length, other samples.
   * @param {string} id @param {Partial<DeckTrack>} change */
  exchange(id, change) {
    const track = this.#tracks.get(id);
    if (!track) return;
    Object.assign(track, change);
    const shift = this.#sides.get(track.side)?.shift ?? 0;
    this.#supply.add(track, shift);
    this.#tell({ does: "add", id, length: track.length, shift, gains: this.#gains.get(id) ?? [0, 0], end: this.end });
    this.#fill();
  }

  /** Shifts a side against the other, in frames.
   * @param {string} side @param {number} shift */
  shift(side, shift) {
    const place = this.#sides.get(side);
    if (!place) return;
    place.shift = shift;
    const ids = this.#idsOf(side);
    for (const id of ids) this.#supply.shift(id, shift);
    this.#tell({ does: "shift", ids, shift, end: this.end, turn: ++this.#turn });
    this.#fill();
  }

  /** Linear gains of tracks, left and right: [[id, [left, right]], …]. They are reached within 10 ms.
   * @param {Gains} gains */
  setGains(gains) {
    for (const [id, pair] of gains) this.#gains.set(id, pair);
    this.#tell({ does: "gains", gains });
  }

  async play() {
    if (this.isPlaying || this.#closed) return;
    if (this.#head.reported >= this.end) this.seek(this.#loop?.from ?? 0);
    this.#supply.forgive();
    this.#become("waiting");
    try {
      await this.#start();
    } catch (/** @type {any} */ error) {
      this.#become("stopped");
      throw error;
    }
    if (this.state === "stopped" || this.#closed) return;
    this.#tell({ does: "play", turn: ++this.#turn });
    this.#fill();
    this.#watch();
  }

  pause() {
    if (!this.isPlaying) return;
    this.#head.reported = Math.round(this.position);
    this.#tell({ does: "pause" });
    this.#tell({ does: "seek", position: this.#head.reported, turn: ++this.#turn, isPlaying: false });
    this.#become("stopped");
  }

  toggle() { return this.isPlaying ? this.pause() : this.play(); }

  /** Goes to a position in frames.
   * @param {number} position */
  seek(position) {
    this.#head.jump(Math.max(0, Math.min(this.end, Math.round(position))));
    this.#tell({ does: "seek", position: this.#head.reported, turn: ++this.#turn, isPlaying: this.isPlaying });
    this.#supply.forgive();
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

  /** Captures the next frames of the output: {from (position), left, right}.
   * @param {number} frames */
  record(frames) {
    this.#tell({ does: "record", frames });
    return new Promise((resolve) => this.#tapes.push(resolve));
  }

  async close() {
    this.#closed = true;
    this.#supply.close();
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
    } catch (/** @type {any} */ error) {
      this.#starting = null;
      throw error;
    }
    // Otherwise a suspension that was asked for just before would come after the resumption.
    await this.#suspending;
    const context = this.#context;
    if (!context || context.state === "running") return;
    // Firefox without an output device never answers.
    await Promise.race([context.resume(), new Promise((_, reject) => setTimeout(reject, PATIENCE, noOutput()))]);
  }

  /** Fetches the audio thread's code while nobody waits for it. */
  #warm() { this.#warmed ??= fetch(WORKLET).catch(() => {}); }
  /** @type {Promise<unknown> | null} */
  #warmed = null;

  /** Says so if the context's clock stands still: there is no output device. */
  #watch() {
    const context = this.#context, from = context?.currentTime;
    clearTimeout(this.#watching);
    this.#watching = setTimeout(() => {
      if (context === this.#context && this.isPlaying && context?.currentTime === from) this.#complain(noOutput());
    }, PATIENCE);
  }
  #watching = 0;

  /** @param {unknown} error */
  #complain(error) { this.dispatchEvent(new CustomEvent("problem", { detail: error })); }

  async #make() {
    const context = new AudioContext({ sampleRate: RATE, latencyHint: "interactive" });
    await context.audioWorklet.addModule(WORKLET);
    if (this.#closed) return context.close();
    const node = new AudioWorkletNode(context, "jamjar-deck", { numberOfInputs: 0, outputChannelCount: [2] });
    node.port.onmessage = ({ data }) => this.#hear(data);
    node.connect(context.destination);
    this.#context = context;
    this.#node = node;
    for (const [message, transfer] of this.#waiting.splice(0)) node.port.postMessage(message, transfer);
  }

  /** @param {object} message @param {Transferable[]} [transfer] */
  #tell(message, transfer = []) {
    if (this.#node) this.#node.port.postMessage(message, transfer);
    else if (!this.#closed) this.#waiting.push([message, transfer]);
  }

  /** @param {DeckReport} report */
  #hear({ tape, state, turn, position, levels, master }) {
    if (tape) return this.#tapes.shift()?.(tape);
    if (turn !== this.#turn) return undefined;
    this.levels = new Map(levels);
    this.master = master;
    this.#head.report(position, this.isPlaying || state !== "stopped");
    if (state === "ended") this.#become("stopped");
    else if (this.isPlaying && state !== "stopped") {
      if (state === "waiting" && this.state === "playing") this.#supply.starved();
      if (state === "playing" && this.state === "waiting" && this.#context) this.#head.latency = latency(this.#context);
      this.#become(state);
    }
    // The last fade has been played by now; a suspended context needs no processor time.
    if (state === "stopped" && !this.isPlaying && this.#context?.state === "running" && !this.#suspending) {
      this.#suspending = this.#context.suspend().catch(() => {}).then(() => { this.#suspending = null; });
    }
    this.#fill();
    this.dispatchEvent(new Event("report"));
    return undefined;
  }

  /** The tracks of a side.
   * @param {string} side */
  #idsOf(side) { return [...this.#tracks.values()].filter((track) => track.side === side).map(({ id }) => id); }

  /** @param {DeckState} state */
  #become(state) {
    if (this.state === state) return;
    this.state = state;
    if (state === "stopped") {
      this.levels = new Map();
      this.master = [0, 0];
    }
    this.dispatchEvent(new Event("state"));
  }

  #fill() {
    if (!this.#closed) this.#supply.fill(Math.floor(this.#head.reported), this.#loop, this.end);
  }
}
