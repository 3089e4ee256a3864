// Plays the tracks of one or two takes at one position, on the audio thread. Tracks come in stretches ("chunks") of
// equal length from the page, which fetches ahead and drops behind (deck-loader.js). If one chunk of one track is
// missing, all tracks wait together and stay in step.

const QUANTUM = 128;
/** Frames of a chunk: 2 s. deck-loader.js says the same. */
const CHUNK = 96_000;
/** A gain ramps from zero to full in 10 ms: long enough to avoid a click, too short to notice. */
const SLEW = 1 / 480;
/** Frames between two reports of position and levels to the page. */
const REPORT = 8;

/** @typedef {Float32Array[] & { lead: Float32Array[], isExact: boolean, joined?: Float32Array[] }} Piece a chunk by channels */
/**
 * @typedef {{ length: number, shift: number, chunks: Map<number, Piece>, left: number, right: number, toLeft: number, toRight: number, peak: number }} Source
 */

class DeckProcessor extends AudioWorkletProcessor {
  /** @type {Map<string, Source>} */
  sources = new Map();
  position = 0;
  end = 0;
  /** @type {Loop | null} */
  loop = null;
  playing = false;
  waiting = false;
  /** The goal of the next quantum's fade: a stop, or a jump to another position. */
  stopping = false;
  /** @type {number | null} */
  jump = null;
  fade = 0;
  turn = 0;
  quanta = 0;
  master = [0, 0];
  /** @type {Tape | null} */
  tape = null;
  closed = false;

  constructor() {
    super();
    // Requests of this page alone.
    this.port.onmessage = ({ data }) => /** @type {any} */ (this)[data.does](data);
  }

  // Requests of the page

  /** Adds a track, which lies `shift` frames later in its file than the position; `end` is the end of all tracks.
   * @param {{ id: string, length: number, shift: number, gains: Pair, end: number }} track */
  add({ id, length, shift, gains, end }) {
    const [left, right] = gains;
    this.sources.set(id, { length, shift, chunks: new Map(), left, right, toLeft: left, toRight: right, peak: 0 });
    this.end = end;
  }

  /** @param {{ ids: string[], end: number }} tracks */
  remove({ ids, end }) {
    for (const id of ids) this.sources.delete(id);
    this.end = end;
  }

  /** @param {{ ids: string[], shift: number, end: number, turn: number }} tracks */
  shift({ ids, shift, end, turn }) {
    this.turn = turn;
    this.end = end;
    for (const id of ids) {
      const source = this.sources.get(id);
      if (source) source.shift = shift;
    }
  }

  /** `lead`: the samples before it, if it may follow sound of another coding; `isExact`: it is no Opus.
   * @param {{ id: string, index: number, channels: Float32Array[], lead?: Float32Array[], isExact?: boolean }} chunk */
  chunk({ id, index, channels, lead = [], isExact = true }) {
    const source = this.sources.get(id);
    if (!source) return;
    const piece = Object.assign(channels, { lead, isExact });
    source.chunks.set(index, piece);
    this.join(source.chunks.get(index - 1), piece);
    this.join(piece, source.chunks.get(index + 1));
  }

  /** Fades the end of one chunk into the next: what Opus leaves differs on both sides of a seam.
   * @param {Piece | undefined} chunk @param {Piece | undefined} next */
  join(chunk, next) {
    if (!chunk || !next?.lead.length || chunk.joined === next || (chunk.isExact && next.isExact)) return;
    chunk.joined = next;
    chunk.forEach((samples, channel) => {
      const lead = next.lead[channel] ?? next.lead[0], first = samples.length - lead.length;
      if (first < 0) return;
      for (let n = 0; n < lead.length; n++) samples[first + n] += (lead[n] - samples[first + n]) * ((n + 1) / lead.length);
    });
  }

  /** @param {{ id: string, index: number }} chunk */
  drop({ id, index }) {
    this.sources.get(id)?.chunks.delete(index);
  }

  /** @param {{ gains: Gains }} wish */
  gains({ gains }) {
    for (const [id, [left, right]] of gains) {
      const source = this.sources.get(id);
      if (source) [source.toLeft, source.toRight] = [left, right];
    }
  }

  /** @param {{ turn: number }} wish */
  play({ turn }) {
    this.turn = turn;
    this.playing = true;
    this.stopping = false;
  }

  pause() {
    if (this.playing && this.fade > 0) this.stopping = true;
    else this.stop("stopped");
  }

  /** `isPlaying`: what the page believes; it may not have heard yet that the end was reached.
   * @param {{ position: number, turn: number, isPlaying: boolean }} wish */
  seek({ position, turn, isPlaying }) {
    this.turn = turn;
    if (isPlaying) this.playing = true;
    if (this.playing && this.fade > 0) this.jump = position;
    else this.position = position;
  }

  /** @param {{ loop: Loop | null, turn: number }} wish */
  cycle({ loop, turn }) {
    this.turn = turn;
    this.loop = loop;
  }

  /** Captures the output from the next quantum on, for measurements.
   * @param {{ frames: number }} wish */
  record({ frames }) {
    this.tape = { from: null, filled: 0, left: new Float32Array(frames), right: new Float32Array(frames) };
  }

  close() {
    this.closed = true;
  }

  // Output

  /** @param {Float32Array[][]} _ @param {Float32Array[][]} outputs */
  process(_, [output]) {
    if (this.closed) return false;
    const was = this.waiting;
    if (this.playing) this.run(output[0], output[1] ?? output[0]);
    const running = this.waiting ? "waiting" : "playing";
    if (was !== this.waiting || ++this.quanta >= REPORT) this.report(this.playing ? running : "stopped");
    return true;
  }

  /** @param {Float32Array} left @param {Float32Array} right */
  run(left, right) {
    this.waiting = !this.has(this.position);
    if (this.waiting) {
      this.fade = 0;
      if (this.jump !== null) this.position = this.jump;
      this.jump = null;
      if (this.stopping) this.stop("stopped");
      return;
    }
    const started = this.position;
    let filled = 0;
    for (const [from, count] of this.pieces(this.position)) {
      for (const source of this.sources.values()) this.mix(source, from, count, left, right, filled);
      filled += count;
      this.position = from + count;
    }
    if (this.loop && this.position === this.loop.to) this.position = this.loop.from;
    const last = this.stopping || this.jump !== null || this.position >= this.end || !this.has(this.position);
    this.shape(left, right, last ? 0 : 1);
    this.keep(started, left, right, filled);
    if (this.jump !== null) this.position = this.jump;
    this.jump = null;
    if (this.stopping) this.stop("stopped");
    else if (this.position >= this.end) this.stop("ended");
  }

  /** The stretches of the take in the next quantum: two if the loop restarts within it.
   * @param {number} position */
  pieces(position) {
    /** @type {[from: number, count: number][]} */
    const pieces = [];
    let rest = QUANTUM, from = position;
    while (rest > 0 && from < this.end) {
      const loop = this.loop && from < this.loop.to ? this.loop : null;
      const count = Math.min(rest, (loop ? loop.to : this.end) - from);
      pieces.push([from, count]);
      rest -= count;
      from += count;
      if (loop && from === loop.to) from = loop.from;
    }
    return pieces;
  }

  /** Whether every track, including muted ones, has the sound for the quantum at `position`.
   * @param {number} position */
  has(position) {
    for (const [from, count] of this.pieces(position)) {
      for (const { chunks, shift, length } of this.sources.values()) {
        const first = Math.max(0, from + shift), last = Math.min(length, from + count + shift) - 1;
        if (first > last) continue;
        if (!chunks.has(Math.floor(first / CHUNK)) || !chunks.has(Math.floor(last / CHUNK))) return false;
      }
    }
    return true;
  }

  /** @param {Source} source @param {number} from @param {number} count @param {Float32Array} left @param {Float32Array} right @param {number} at */
  mix(source, from, count, left, right, at) {
    const { chunks, shift, length, toLeft, toRight } = source;
    let { left: l, right: r, peak } = source;
    // Silent, and stays silent.
    if (l === 0 && r === 0 && toLeft === 0 && toRight === 0) return;
    let index = -1;
    /** @type {Float32Array | null} */
    let first = null;
    /** @type {Float32Array | null} */
    let second = null;
    for (let n = 0; n < count; n++) {
      l += Math.max(-SLEW, Math.min(SLEW, toLeft - l));
      r += Math.max(-SLEW, Math.min(SLEW, toRight - r));
      const frame = from + n + shift;
      if (frame < 0 || frame >= length) continue;
      const wanted = Math.floor(frame / CHUNK);
      if (wanted !== index) {
        index = wanted;
        const channels = chunks.get(index) ?? [];
        first = channels[0] ?? null;
        second = channels[1] ?? first;
      }
      const place = frame - index * CHUNK;
      const a = (first?.[place] ?? 0) * l, b = (second?.[place] ?? 0) * r;
      left[at + n] += a;
      right[at + n] += b;
      peak = Math.max(peak, Math.abs(a), Math.abs(b));
    }
    Object.assign(source, { left: l, right: r, peak });
  }

  /** Fades from where the last quantum ended to `goal`.
   * @param {Float32Array} left @param {Float32Array} right @param {number} goal */
  shape(left, right, goal) {
    const step = (goal - this.fade) / left.length;
    for (let n = 0; n < left.length; n++) {
      if (step !== 0 || goal !== 1) {
        const gain = this.fade + step * (n + 1);
        left[n] *= gain;
        if (right !== left) right[n] *= gain;
      }
      this.master[0] = Math.max(this.master[0], Math.abs(left[n]));
      this.master[1] = Math.max(this.master[1], Math.abs(right[n]));
    }
    this.fade = goal;
  }

  /** @param {string} state */
  stop(state) {
    this.playing = this.stopping = this.waiting = false;
    this.fade = 0;
    this.report(state);
  }

  /** @param {string} state */
  report(state) {
    this.quanta = 0;
    const levels = [];
    for (const [id, source] of this.sources) {
      levels.push([id, source.peak]);
      source.peak = 0;
    }
    this.port.postMessage({ state, turn: this.turn, position: this.position, levels, master: this.master });
    this.master = [0, 0];
  }

  /** @param {number} position @param {Float32Array} left @param {Float32Array} right @param {number} count */
  keep(position, left, right, count) {
    const tape = this.tape;
    if (!tape) return;
    tape.from ??= position;
    const fits = Math.min(count, tape.left.length - tape.filled);
    tape.left.set(left.subarray(0, fits), tape.filled);
    tape.right.set(right.subarray(0, fits), tape.filled);
    tape.filled += fits;
    if (tape.filled < tape.left.length) return;
    this.port.postMessage({ tape }, [tape.left.buffer, tape.right.buffer]);
    this.tape = null;
  }
}

registerProcessor("jamjar-deck", DeckProcessor);
