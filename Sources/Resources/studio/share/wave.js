// The outline of the sound with the place that is heard, and cues above it. It is decoration for a slider, which the
// keyboard and screen readers use.

import { element, painterOf } from "../base/dom.js";
import { Peaks } from "../takes/peaks.js";

/** Width of a bar and of the space behind it, in CSS pixels. */
const BAR = 3;
const STEP = 5;

export class Wave {
  #canvas = element("canvas", { ariaHidden: "true" });
  #marks = element("div", { className: "marks", ariaHidden: "true" });
  /** @type {Peaks | null} */
  #peaks = null;
  #played = 0;
  #duration = 0;
  node = element("div", { className: "wave", dataset: { state: "empty" } }, this.#canvas, this.#marks);

  constructor() {
    new ResizeObserver(() => this.#draw()).observe(this.node);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** The bytes of an outline (docs/rest.md); one that cannot be read leaves a plain line.
   * @param {ArrayBuffer} bytes */
  set outline(bytes) {
    try {
      this.#peaks = new Peaks(bytes);
      this.node.dataset.state = "ready";
    } catch {
      this.#peaks = null;
    }
    this.#draw();
  }

  /** Cues as [{position}], in seconds.
   * @param {SharedCue[]} cues @param {number} duration */
  mark(cues, duration) {
    this.#duration = duration;
    this.#marks.replaceChildren(...cues.map(({ position, name }) => element("i", {
      className: name === null ? "" : "comment", style: { left: `${100 * Math.min(1, position / Math.max(duration, 0.1))}%` },
    })));
    this.#draw();
  }

  /** The share of the sound that was heard, 0 to 1.
   * @param {number} share */
  set played(share) {
    const bars = Math.floor(this.node.clientWidth / STEP);
    const isSame = Math.floor(share * bars) === Math.floor(this.#played * bars);
    this.#played = share;
    if (!isSame) this.#draw();
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    const ratio = devicePixelRatio || 1;
    Object.assign(this.#canvas, { width: width * ratio, height: height * ratio });
    const pen = painterOf(this.#canvas);
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.node);
    const heard = style.getPropertyValue("color"), ahead = style.getPropertyValue("border-color");
    const bars = Math.floor(width / STEP);
    /** @param {number} index @param {number} low @param {number} high */
    const bar = (index, low, high) => {
      const tall = Math.max(2, Math.max(-low, high) ** 0.75 * height * 0.9);
      pen.fillStyle = index / bars < this.#played ? heard : ahead;
      pen.fillRect(index * STEP, (height - tall) / 2, BAR, tall);
    };
    if (this.#peaks && this.#duration) this.#peaks.columns(0, this.#duration, bars, bar);
    else for (let index = 0; index < bars; index++) bar(index, 0, 0);
  }
}
