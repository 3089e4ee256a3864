/** Seconds that what was played may be away from the disk before a light turns; it is told of once a second. */
const SAFE = 2;

/**
 * Whether what is played is on disk, by what the server says of it ("journaled"). Pure: times come in, in seconds.
 *
 * The clocks of page and server differ, so the time line's zero is taken from the quickest message so far: it arrived
 * `position` seconds or a little more after the take's zero.
 */
export class Safety {
  #take = null;
  #zero = Infinity;
  /** Seconds of the take that are on disk. */
  position = 0;

  begin(take) {
    this.#take = take;
    this.#zero = Infinity;
    this.position = 0;
  }

  journaled(take, position, now) {
    if (take !== this.#take) return;
    this.position = Math.max(this.position, position);
    this.#zero = Math.min(this.#zero, now - position);
  }

  /** Seconds that have been played and are not known to be on disk yet; null before the first message. */
  behind(now) { return Number.isFinite(this.#zero) ? Math.max(0, now - this.#zero - this.position) : null; }

  isSafe(now) {
    const behind = this.behind(now);
    return behind !== null && behind < SAFE;
  }
}
