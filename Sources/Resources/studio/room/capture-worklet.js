// Listens to the microphone on the audio thread: measures its level and passes the sound to the local backup.
//
// Out: `{levels}` messages every 50 ms on the node's port. In: `{keep: MessagePort, channels}` sends all sound there from
// now on, `{keep: null}` ends that; `{cover}` keeps silence in its place or no longer, and is answered by `{covered}`. The port receives `{frame, samples}`: `samples` interleaved, `frame` the number of
// the first one on this context's clock. No frame is missing between two messages unless the browser itself lost some.

/** Frames per message: 43 ms at 48 kHz. */
const BLOCK = 2048;
/** Seconds between two messages of levels. */
const INTERVAL = 0.05;
/** The magnitude from which a sample counts as clipped: converters reach full scale at 0.99997. */
const FULL = 0.9995;

/** What is kept of a talk to the others. */
const SILENCE = new Float32Array(128);

class Capture extends AudioWorkletProcessor {
  /** @type {MessagePort | null} */
  #keeper = null;
  #channels = 2;
  /** @type {Float32Array | null} */
  #block = null;
  #filled = 0;
  #start = 0;
  #isCovered = false;
  #measure = Capture.#fresh();

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if ("cover" in data) {
        this.#isCovered = data.cover;
        this.port.postMessage({ covered: data.cover });
      }
      if (!("keep" in data)) return;
      this.#flush();
      this.#keeper = data.keep;
      this.#channels = data.channels ?? 2;
      this.#block = null;
    };
  }

  /** @param {Float32Array[][]} inputs */
  process([input]) {
    // Without a source there are no channels: record silence, so that time goes on.
    const left = input[0] ?? new Float32Array(128), right = input[1] ?? left;
    this.#listen(left, right);
    if (this.#keeper) this.#keep(this.#isCovered ? SILENCE : left, this.#isCovered ? SILENCE : right);
    return true;
  }

  /** @param {Float32Array} left @param {Float32Array} right */
  #keep(left, right) {
    const channels = this.#channels;
    if (!this.#block) {
      this.#block = new Float32Array(BLOCK * channels);
      this.#filled = 0;
      this.#start = currentFrame;
    }
    const block = this.#block;
    let at = this.#filled * channels;
    for (let index = 0; index < left.length; index += 1) {
      block[at++] = left[index];
      if (channels === 2) block[at++] = right[index];
    }
    this.#filled += left.length;
    if (this.#filled + left.length > BLOCK) this.#flush();
  }

  #flush() {
    if (!this.#keeper || !this.#block || !this.#filled) return;
    const samples = this.#block.subarray(0, this.#filled * this.#channels).slice();
    this.#keeper.postMessage({ frame: this.#start, samples }, [samples.buffer]);
    this.#block = null;
  }

  static #fresh() {
    return { frames: 0, peak: [0, 0], square: [0, 0], cross: 0, clipped: 0 };
  }

  /** @param {Float32Array} left @param {Float32Array} right */
  #listen(left, right) {
    const measure = this.#measure;
    for (let index = 0; index < left.length; index += 1) {
      const l = left[index], r = right[index], ml = Math.abs(l), mr = Math.abs(r);
      if (ml > measure.peak[0]) measure.peak[0] = ml;
      if (mr > measure.peak[1]) measure.peak[1] = mr;
      measure.square[0] += l * l;
      measure.square[1] += r * r;
      measure.cross += (l - r) * (l - r);
      if (ml >= FULL || mr >= FULL) measure.clipped += 1;
    }
    measure.frames += left.length;
    if (measure.frames < INTERVAL * sampleRate) return;
    this.port.postMessage({ levels: measure });
    this.#measure = Capture.#fresh();
  }
}

registerProcessor("jamjar-capture", Capture);
