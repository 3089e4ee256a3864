// How much the line to the server carries, measured by what is fetched anyway. Pure: arrivals and times in, an opinion
// out.

/** Arrivals that count; older ones are forgotten, so that a walk to the garden is noticed. */
const KEPT = 8;
/** Full quality begins where the line carries so many times what it needs, and ends below the other. */
const ENOUGH = 2, TOO_LITTLE = 1.3;
/** After sound was missing, full quality is not tried for so long, in ms. */
const CAUTION = 20_000;

export class Line {
  /** [{bytes, busy}]: bytes that arrived, and how long the line was busy for them, in ms.
   * @type {{ bytes: number, busy: number }[]} */
  #arrivals = [];
  /** @type {number | null} */
  #busySince = null;
  #underway = 0;
  #isFull = false;
  #cautiousUntil = 0;

  /** @param {number} now */
  begin(now) {
    if (this.#underway++ === 0) this.#busySince = now;
  }

  /** `bytes`: null if the request was given up.
   * @param {number} now @param {number | null} bytes */
  end(now, bytes) {
    this.#underway = Math.max(0, this.#underway - 1);
    if (this.#busySince === null) return;
    const busy = now - this.#busySince;
    this.#busySince = this.#underway ? now : null;
    if (bytes === null && !busy) return;
    this.#arrivals.push({ bytes: bytes ?? 0, busy });
    if (this.#arrivals.length > KEPT) this.#arrivals.shift();
  }

  /** Bytes a second; 0 before there is anything to measure. */
  get rate() {
    const bytes = this.#arrivals.reduce((sum, each) => sum + each.bytes, 0);
    const busy = this.#arrivals.reduce((sum, each) => sum + each.busy, 0);
    return bytes ? (bytes * 1_000) / Math.max(1, busy) : 0;
  }

  /** Playback had to wait.
   * @param {number} now */
  starved(now) {
    this.#cautiousUntil = now + CAUTION;
    this.#isFull = false;
  }

  /** Whether it carries `needed` bytes a second with room to spare.
   * @param {number} needed @param {number} now */
  bears(needed, now) {
    if (now < this.#cautiousUntil || this.#arrivals.length < 2) return false;
    this.#isFull = this.rate > needed * (this.#isFull ? TOO_LITTLE : ENOUGH);
    return this.#isFull;
  }
}
