/**
 * Tracks whether the sound is on disk, from the server's "journaled" events. Pure: times come in, in seconds.
 *
 * The clocks of page and server differ, so the time line's zero is taken from the fastest message so far, which arrived
 * `position` seconds or slightly more after the take's zero.
 */
export class Safety {
  /** @type {string | null} */
  #take = null;
  #zero = Infinity;
  /** Seconds of the take that are on disk. */
  position = 0;

  /** @param {string | null} take */
  begin(take) {
    this.#take = take;
    this.#zero = Infinity;
    this.position = 0;
  }

  /** @param {string} take @param {number} position @param {number} now */
  journaled(take, position, now) {
    if (take !== this.#take) return;
    this.position = Math.max(this.position, position);
    this.#zero = Math.min(this.#zero, now - position);
  }

  /** Seconds played but not yet confirmed on disk; null before the first message.
   * @param {number} now */
  behind(now) { return Number.isFinite(this.#zero) ? Math.max(0, now - this.#zero - this.position) : null; }
}
