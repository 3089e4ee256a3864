// The last seconds of a musician as a picture that runs along, in the colour of what is recorded of it.

import { element, painterOf } from "../base/dom.js";

/** Points of the picture; one comes with every update of the levels (room/musicians.js). */
const POINTS = 200;
const SCALE = 0.7;

export class Waveform {
  element = element("canvas", { className: "waveform", width: POINTS * 2, height: 48, ariaHidden: "true" });
  #levels = new Float32Array(POINTS);
  #kinds = new Uint8Array(POINTS);
  #at = 0;
  #painter = painterOf(this.element);
  /** @type {string[] | null} */
  #colours = null;

  /** `level`: 0 to 1; `kind`: "sound" (recorded), "silence" (muted), anything else (not recorded).
   * @param {number} level @param {string | undefined} kind */
  add(level, kind) {
    this.#levels[this.#at % POINTS] = level;
    this.#kinds[this.#at % POINTS] = kind === "sound" ? 1 : 0;
    this.#at += 1;
    if (!this.element.isConnected) return;
    // Colours change with the theme, which is looked up now and then.
    if (this.#at % 50 === 1) this.#colours = null;
    this.#paint();
  }

  #colourings() {
    const style = getComputedStyle(this.element);
    return [style.getPropertyValue("border-top-color"), style.getPropertyValue("color")];
  }

  #paint() {
    const colours = this.#colours ??= this.#colourings();
    const painter = this.#painter, { width, height } = this.element, step = width / POINTS;
    painter.clearRect(0, 0, width, height);
    for (const kind of [0, 1]) {
      painter.fillStyle = colours[kind];
      for (let index = 0; index < POINTS; index += 1) {
        const from = (this.#at + index) % POINTS;
        if (this.#kinds[from] !== kind) continue;
        const tall = Math.max(1, this.#levels[from] ** SCALE * height);
        painter.fillRect(index * step, (height - tall) / 2, step - 0.5, tall);
      }
    }
  }
}
