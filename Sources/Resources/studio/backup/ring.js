/** The last frames of a capture, interleaved. */
export class Ring {
  #samples;
  #channels;
  #length;
  /** The frame number after the last one, and the number of frames held. */
  end = 0;
  #held = 0;

  /** @param {number} length @param {number} channels */
  constructor(length, channels) {
    this.#length = Math.ceil(length);
    this.#channels = channels;
    this.#samples = new Float32Array(this.#length * channels);
  }

  /** @param {number} frame @param {Float32Array} samples */
  put(frame, samples) {
    const frames = samples.length / this.#channels;
    if (this.#held && frame !== this.end) this.#held = 0;
    for (let index = Math.max(0, frames - this.#length); index < frames; index += 1) {
      const at = ((frame + index) % this.#length) * this.#channels;
      for (let channel = 0; channel < this.#channels; channel += 1) {
        this.#samples[at + channel] = samples[index * this.#channels + channel];
      }
    }
    this.end = frame + frames;
    this.#held = Math.min(this.#length, this.#held + frames);
  }

  /** All frames held: the number of the first one, and the samples. */
  contents() {
    const first = this.end - this.#held, samples = new Float32Array(this.#held * this.#channels);
    for (let index = 0; index < this.#held; index += 1) {
      const at = ((first + index) % this.#length) * this.#channels;
      for (let channel = 0; channel < this.#channels; channel += 1) {
        samples[index * this.#channels + channel] = this.#samples[at + channel];
      }
    }
    return { frame: first, samples };
  }
}
