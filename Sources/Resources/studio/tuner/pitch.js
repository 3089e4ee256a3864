// The pitch of a sound. Pure: samples in, hertz out.
//
// The McLeod pitch method (P. McLeod, G. Wyvill, A Smarter Way to Find Pitch, ICMC 2005): the normalised square difference
// of the sound with itself (NSDF) is 1 at every delay of whole periods, however loud the sound is and whichever harmonics
// it has. The first high maximum is the period. Beyond the paper: the period is then measured over as many periods as half
// the window holds, so that a fraction of a cent is left also of high notes, whose period has few samples.

/** Seconds of sound that are looked at, at least: two and a half periods of the lowest note of a piano or a five-string bass. */
const SPAN = 0.085;
/** Lowest and highest pitch that is looked for, in Hz: A0 of a piano is 27.5, its C8 4,186. */
export const RANGE = { lowest: 26, highest: 4_500 };
/** A maximum counts as the period from this share of the greatest on (k in section 6 of the paper). */
const FIRST = 0.9;
/** What is less like itself than this has no pitch: noise, chords, breath. */
const CLEAR = 0.85;
/** What is quieter than this has none worth telling: RMS, −62 dBFS. */
const SILENCE = 8e-4;

/** The least samples for a rate: a power of two.
 * @param {number} rate */
export const windowFor = (rate) => 2 ** Math.ceil(Math.log2(SPAN * rate));

/** Finds pitches in windows of one length. */
export class PitchFinder {
  #rate;
  #length;
  #shortest;
  #longest;
  #fourier;
  #real;
  #imaginary;

  /** @param {number} rate samples a second */
  constructor(rate) {
    this.#rate = rate;
    this.#length = windowFor(rate);
    this.#shortest = Math.floor(rate / RANGE.highest);
    this.#longest = Math.min(this.#length / 2, Math.ceil(rate / RANGE.lowest));
    this.#fourier = new Fourier(2 * this.#length);
    this.#real = new Float64Array(2 * this.#length);
    this.#imaginary = new Float64Array(2 * this.#length);
  }

  /** Samples of a window. */
  get length() { return this.#length; }

  /**
   * The pitch of a window: {frequency in Hz, clarity: how much a period is like the next, 0 to 1}; null if there is none.
   * @param {Float32Array} samples the last `length` of them count
   */
  find(samples) {
    const values = this.#similarity(samples.subarray(samples.length - this.#length));
    if (!values) return null;
    const first = this.#period(values);
    if (!first) return null;
    let { delay, value } = first, periods = 1;
    // Twice as many periods at a time: where the next one lies is known well enough by then.
    while (delay * 2 <= this.#length / 2) {
      const next = peak(values, Math.round(delay * 2), Math.max(1, Math.round(delay / periods / 4)));
      if (!next || next.value < FIRST * value) break;
      ({ delay } = next);
      periods *= 2;
    }
    const frequency = this.#rate * periods / delay;
    return frequency < RANGE.lowest || frequency > RANGE.highest ? null : { frequency, clarity: Math.min(1, value) };
  }

  /** The NSDF for delays up to half the window (section 4 of the paper), or null for silence.
   * @param {Float32Array} samples */
  #similarity(samples) {
    const length = this.#length, real = this.#real, imaginary = this.#imaginary;
    let mean = 0;
    for (const sample of samples) mean += sample / length;
    real.fill(0);
    imaginary.fill(0);
    let power = 0;
    for (let index = 0; index < length; index += 1) {
      const sample = samples[index] - mean;
      real[index] = sample;
      power += sample * sample;
    }
    if (!(power > SILENCE * SILENCE * length)) return null;
    const squares = Float64Array.from({ length }, (_, index) => real[index] ** 2);
    // The autocorrelation is the transform of the power spectrum (Wiener and Khinchin).
    this.#fourier.transform(real, imaginary);
    for (let index = 0; index < real.length; index += 1) {
      real[index] = real[index] ** 2 + imaginary[index] ** 2;
      imaginary[index] = 0;
    }
    this.#fourier.transform(real, imaginary);
    const values = new Float64Array(length / 2 + 2);
    let sum = 2 * power;
    for (let delay = 0; delay < values.length; delay += 1) {
      values[delay] = sum > 0 ? (2 * real[delay]) / real.length / sum : 0;
      sum -= squares[delay] + squares[length - 1 - delay];
    }
    return values;
  }

  /** The first of the high maxima between passages through zero (section 5 of the paper).
   * @param {Float64Array} values */
  #period(values) {
    /** @type {{ delay: number, value: number }[]} */
    const maxima = [];
    let delay = 1;
    // The maximum at 0 is the sound itself.
    while (delay < values.length - 1 && values[delay] > 0) delay += 1;
    for (; delay <= this.#longest; delay += 1) {
      if (values[delay] <= 0) continue;
      let best = delay;
      while (delay < values.length - 1 && values[delay] > 0) {
        if (values[delay] > values[best]) best = delay;
        delay += 1;
      }
      if (best >= this.#shortest && best <= this.#longest) maxima.push(refined(values, best));
    }
    const greatest = Math.max(0, ...maxima.map(({ value }) => value));
    return greatest < CLEAR ? null : maxima.find(({ value }) => value >= FIRST * greatest) ?? null;
  }
}

/** The maximum within `reach` of a delay, or null if it lies at the edge.
 * @param {Float64Array} values @param {number} delay @param {number} reach */
function peak(values, delay, reach) {
  let best = Math.max(1, delay - reach);
  const last = Math.min(values.length - 2, delay + reach), first = best;
  for (let index = best; index <= last; index += 1) if (values[index] > values[best]) best = index;
  return best === first || best === last ? null : refined(values, best);
}

/** A maximum to a fraction of a sample, by a parabola through three values.
 * @param {Float64Array} values @param {number} at */
function refined(values, at) {
  const [before, here, after] = [values[at - 1], values[at], values[at + 1]], curve = before - 2 * here + after;
  if (!(curve < 0)) return { delay: at, value: here };
  const shift = (before - after) / (2 * curve);
  return { delay: at + shift, value: here - ((before - after) * shift) / 4 };
}

/** The discrete Fourier transform of a power of two of values, in place. */
class Fourier {
  #places;
  #cosines;
  #sines;

  /** @param {number} size */
  constructor(size) {
    const bits = Math.log2(size);
    this.#places = Uint32Array.from({ length: size }, (_, index) => {
      let place = 0;
      for (let bit = 0; bit < bits; bit += 1) if (index & (1 << bit)) place |= 1 << (bits - 1 - bit);
      return place;
    });
    this.#cosines = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size));
    this.#sines = Float64Array.from({ length: size / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / size));
  }

  /** @param {Float64Array} real @param {Float64Array} imaginary */
  transform(real, imaginary) {
    const size = real.length, places = this.#places, cosines = this.#cosines, sines = this.#sines;
    for (let index = 0; index < size; index += 1) {
      const place = places[index];
      if (place <= index) continue;
      [real[index], real[place]] = [real[place], real[index]];
      [imaginary[index], imaginary[place]] = [imaginary[place], imaginary[index]];
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let index = 0; index < half; index += 1) {
          const cosine = cosines[index * step], sine = sines[index * step], one = start + index, other = one + half;
          const x = real[other] * cosine - imaginary[other] * sine, y = real[other] * sine + imaginary[other] * cosine;
          real[other] = real[one] - x;
          imaginary[other] = imaginary[one] - y;
          real[one] += x;
          imaginary[one] += y;
        }
      }
    }
  }
}
