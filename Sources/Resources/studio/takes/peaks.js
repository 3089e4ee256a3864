// The outline of a sound: audiowaveform's binary format, version 2, 8 bit (github.com/bbc/audiowaveform,
// doc/DataFormat.md). Coarser levels are computed once, so that an hour draws as fast as a second.

const HEAD = 24;
/** Pixels of one level per pixel of the next. */
const STEP = 4;

/** The lowest and highest value of each pixel over all channels, from -1 to 1, at one coarseness.
 * @param {number} count */
function level(count) {
  return { low: new Float32Array(count), high: new Float32Array(count) };
}

/** @typedef {ReturnType<typeof level>} Level */

export class Peaks {
  /** Samples per pixel of the finest level. */
  samplesPerPixel;
  rate;
  /** @type {Level[]} */
  #levels = [];

  /** @throws {Error} if the bytes are not an outline.
   * @param {ArrayBuffer} buffer */
  constructor(buffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < HEAD || view.getInt32(0, true) !== 2) throw new Error("the outline cannot be read");
    const isByte = (view.getUint32(4, true) & 1) === 1;
    this.rate = view.getInt32(8, true);
    this.samplesPerPixel = view.getInt32(12, true);
    const channels = Math.max(1, view.getInt32(20, true));
    const width = isByte ? 1 : 2, scale = isByte ? 128 : 32_768;
    const count = Math.min(view.getUint32(16, true), Math.floor((buffer.byteLength - HEAD) / (2 * width * channels)));
    const values = isByte ? new Int8Array(buffer, HEAD) : new Int16Array(buffer, HEAD);
    const finest = level(count);
    for (let pixel = 0, at = 0; pixel < count; pixel++) {
      let low = scale, high = -scale;
      for (let channel = 0; channel < channels; channel++) {
        low = Math.min(low, values[at++]);
        high = Math.max(high, values[at++]);
      }
      finest.low[pixel] = low / scale;
      finest.high[pixel] = high / scale;
    }
    this.#levels.push(finest);
    for (let last = finest; last.low.length > 256;) this.#levels.push(last = Peaks.#coarser(last));
  }

  /** @param {Level} finer */
  static #coarser({ low, high }) {
    const made = level(Math.ceil(low.length / STEP));
    for (let pixel = 0; pixel < made.low.length; pixel++) {
      const from = pixel * STEP, to = Math.min(low.length, from + STEP);
      let least = low[from], most = high[from];
      for (let at = from + 1; at < to; at++) {
        least = Math.min(least, low[at]);
        most = Math.max(most, high[at]);
      }
      made.low[pixel] = least;
      made.high[pixel] = most;
    }
    return made;
  }

  /** Calls `draw(column, low, high)` for `columns` columns that cover `span` seconds from `from` on.
   * @param {number} from @param {number} span @param {number} columns @param {(column: number, low: number, high: number) => void} draw */
  columns(from, span, columns, draw) {
    const perColumn = (span * this.rate) / this.samplesPerPixel / columns;
    let index = 0;
    while (index + 1 < this.#levels.length && STEP ** (index + 1) <= perColumn) index++;
    const { low, high } = this.#levels[index], scale = STEP ** index;
    const first = (from * this.rate) / this.samplesPerPixel;
    for (let column = 0; column < columns; column++) {
      const begin = Math.floor((first + column * perColumn) / scale);
      const end = Math.max(begin + 1, Math.floor((first + (column + 1) * perColumn) / scale));
      if (begin >= low.length || end <= 0) continue;
      let least = 1, most = -1;
      for (let at = Math.max(0, begin); at < Math.min(low.length, end); at++) {
        least = Math.min(least, low[at]);
        most = Math.max(most, high[at]);
      }
      if (most >= least) draw(column, least, most);
    }
  }
}
