import { RATE } from "./deck-loader.js";

/** Where the deck is, in frames: what the audio thread last reported, and what is heard at this moment. */
export class Playhead {
  /** As last reported or set. */
  reported = 0;
  /** How much later than computed sound is heard, in seconds. */
  latency = 0;
  #at = 0;
  #hasLooped = false;

  /** @param {number} position */
  jump(position) {
    this.reported = position;
    this.#at = performance.now();
    this.#hasLooped = false;
  }

  /** A report of the audio thread; one of a deck that stands still moves nothing.
   * @param {number} position @param {boolean} isMoving */
  report(position, isMoving) {
    if (position < this.reported) this.#hasLooped = true;
    if (!isMoving) return;
    this.reported = position;
    this.#at = performance.now();
  }

  /** The audible position of a playing deck, extrapolated since the last report.
   * @param {Loop | null} loop @param {number} end */
  heard(loop, end) {
    const since = ((performance.now() - this.#at) / 1_000) * RATE;
    let position = this.reported + Math.min(since, RATE / 10) - this.latency * RATE;
    if (loop && this.reported < loop.to) {
      if (position >= loop.to) position -= loop.to - loop.from;
      // The computed position has restarted the loop; the audible one has not reached its end yet.
      else if (position < loop.from && this.reported >= loop.from && this.#hasLooped) position += loop.to - loop.from;
    }
    return Math.max(0, Math.min(end, position));
  }
}
