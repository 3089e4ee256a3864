// Notes of equal temperament, and a reading that stands still enough to tune by. Pure.

/** As musicians spell them most often when they tune. */
const NAMES = ["C", "C♯", "D", "E♭", "E", "F", "F♯", "G", "A♭", "A", "B♭", "B"];
/** A above middle C has this number (MIDI 1.0), and ISO 16 gives it 440 Hz. */
const A4 = 69;
/** Hertz to which A4 may be set: from below the pitch of the baroque to above that of any orchestra. */
export const REFERENCE = { lowest: 415, highest: 466, usual: 440 };
/** Cents by which a note may be off and still counts as in tune: less than most ears tell apart. */
export const TUNED = 3;

/**
 * The nearest note: {name, octave, cents: how much higher it sounds, −50 to 50}.
 * @param {number} frequency in Hz @param {number} reference of A4, in Hz
 */
export function noteOf(frequency, reference) {
  const place = A4 + 12 * Math.log2(frequency / reference), nearest = Math.round(place);
  return { name: NAMES[((nearest % 12) + 12) % 12], octave: Math.floor(nearest / 12) - 1, cents: 100 * (place - nearest) };
}

/** @typedef {ReturnType<typeof noteOf>} Note */

/** "low", "tuned" or "high".
 * @param {number} cents */
export const verdictOf = (cents) => (Math.abs(cents) <= TUNED ? "tuned" : cents < 0 ? "low" : "high");

/** Seconds for which the last reading stays when the sound has gone. */
const HOLD = 1.5;
/** Readings that are looked at together: an attack or a slip of an octave is in the minority among them. */
const TOGETHER = 5;
/** Readings further apart than this, in cents, are of different notes. */
const SAME = 80;

/** Makes one steady pitch of many readings. */
export class Steady {
  /** @type {number[]} */
  #readings = [];
  #at = -Infinity;

  /** Takes a reading in Hz, or null for none, at a time in seconds; answers what to show, or null.
   * @param {number | null} frequency @param {number} now */
  take(frequency, now) {
    if (frequency !== null) {
      this.#readings.push(frequency);
      if (this.#readings.length > TOGETHER) this.#readings.shift();
      this.#at = now;
    } else if (now - this.#at > HOLD) this.#readings = [];
    return this.#shown;
  }

  /** The middle of the readings, once most of them are of one note. */
  get #shown() {
    const sorted = [...this.#readings].sort((one, other) => one - other), middle = sorted[Math.floor(sorted.length / 2)];
    const near = sorted.filter((one) => Math.abs(1200 * Math.log2(one / middle)) < SAME);
    if (near.length < 2 || near.length * 2 <= sorted.length) return null;
    // Their mean is quieter than the middle one alone.
    return near.reduce((sum, one) => sum + one, 0) / near.length;
  }
}
