// Counting in: clicks in everybody's headphones before a take, never in a track. One page asks, the server's clock says when,
// and the take starts a beat before the first bar, so that no upbeat is lost.

/** Beats of a bar, and the pitch of its first click and of the others in Hz. */
const BAR = 4;
const HIGH = 1600;
const LOW = 1000;
/** Seconds that a click lasts, and by which the first one is planned ahead for the slowest page. */
const CLICK = 0.03;
const LEAD = 0.5;
const VOLUME = 0.4;

export const TEMPI = { least: 40, most: 240, usual: 100 };

/** The clicks of a count-in: [{at, isFirst}], in seconds from its beginning. Pure.
 * @param {number} bars @param {number} tempo */
export function clicks(bars, tempo) {
  return Array.from({ length: bars * BAR }, (_, beat) => ({ at: (60 / tempo) * beat, isFirst: beat % BAR === 0 }));
}

/** Seconds from a count-in's beginning until the take starts: the beat before the bar. Pure.
 * @param {number} bars @param {number} tempo */
export const startsAfter = (bars, tempo) => (60 / tempo) * (bars * BAR - 1);

/** What may come from another page: a count-in with sane figures, or null. Pure.
 * @param {any} value */
export function readCount(value) {
  const { at, bars, tempo } = value ?? {};
  if (![at, bars, tempo].every(Number.isFinite)) return null;
  return bars >= 1 && bars <= 4 && tempo >= TEMPI.least && tempo <= TEMPI.most ? { at, bars: Math.round(bars), tempo } : null;
}

/** The server's clock on this page, from the quickest ping (docs/protocol.md, section 5). Pure. */
export class ServerClock {
  #best = Infinity;
  /** @type {number | null} */
  #offset = null;

  /** All in milliseconds; `sent` and `received` on this page's clock.
   * @param {number} sent @param {number} received @param {number} server */
  sample(sent, received, server) {
    // A new best counts; old ones fade, because clocks drift.
    this.#best += 0.05;
    if (received - sent > this.#best) return;
    this.#best = received - sent;
    this.#offset = server - (sent + received) / 2;
  }

  /** The next ping counts, however slow: another server may answer it, or the page's clock stood still while its machine slept. */
  renew() { this.#best = Infinity; }

  /** The server's time at a time of this page; null before the first ping.
   * @param {number} time */
  at(time) { return this.#offset === null ? null : time + this.#offset; }
}

export class CountIn {
  #studio;
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /** @param {RoomState} studio */
  constructor(studio) { this.#studio = studio; }

  /** Plans a count-in for the whole room; the take starts by itself. Throws a Refusal if the room cannot be told.
   * @param {number} bars @param {number} tempo @param {() => unknown} start */
  async begin(bars, tempo, start) {
    const { studio, now } = { studio: this.#studio, now: performance.now() };
    const at = studio.serverClock.at(now + 1000 * LEAD);
    if (at === null) return start();
    await studio.desk?.count({ at, bars, tempo });
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => { this.#timer = null; start(); }, now + 1000 * (LEAD + startsAfter(bars, tempo)) - performance.now());
    return undefined;
  }

  get isCounting() { return this.#timer !== null; }

  /** Plays a count-in that was planned, at its time on the server's clock; one that is over is not played.
   * @param {any} value */
  hear(value) {
    const count = readCount(value), server = this.#studio.serverClock.at(performance.now());
    if (!count || server === null) return;
    const wait = (count.at - server) / 1000;
    if (wait < -1 || wait > 10) return;
    this.#context ??= new AudioContext({ latencyHint: "interactive" });
    this.#context.resume().catch(() => {});
    this.#studio.sound?.ears.sendTo(this.#context);
    const begin = this.#context.currentTime + wait;
    for (const { at, isFirst } of clicks(count.bars, count.tempo)) this.#click(begin + at, isFirst ? HIGH : LOW);
  }

  /** @param {number} at @param {number} frequency */
  #click(at, frequency) {
    const context = this.#context;
    if (!context || at < context.currentTime) return;
    const tone = new OscillatorNode(context, { frequency }), volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(VOLUME, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + CLICK);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + CLICK);
  }

  close() {
    clearTimeout(this.#timer ?? undefined);
    this.#context?.close();
  }
}
