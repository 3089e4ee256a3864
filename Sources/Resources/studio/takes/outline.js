// A waveform on a canvas at screen resolution: the outline, with gaps hatched. The playhead is a separate element, so
// that playing repaints nothing.

import { element, painterOf } from "../base/dom.js";

/** Share of the height that the outline fills at full scale. */
const HEIGHT = 0.92;
/** Exponent of the drawn amplitudes, which keeps quiet musicians visible. */
const CURVE = 0.75;

/** @param {number} value */
const curved = (value) => Math.sign(value) * Math.abs(value) ** CURVE;

export class Outline {
  node;
  #canvas;
  /** @type {Peaks | null} */
  #peaks = null;
  /** @type {Gap[]} */
  #gaps = [];
  #from = 0;
  #span = 1;
  #observer;
  #asked = false;

  /** `label` describes the picture for screen readers.
   * @param {string} label @param {string} [className] */
  constructor(label, className = "") {
    this.#canvas = element("canvas", {});
    this.node = element("div", { className: `outline ${className}`, role: "img", "aria-label": label }, this.#canvas);
    this.#observer = new ResizeObserver(() => this.draw());
    this.#observer.observe(this.node);
    this.#scheme.addEventListener("change", this.draw);
  }
  #scheme = matchMedia("(prefers-color-scheme: dark)");

  close() {
    this.#observer.disconnect();
    this.#scheme.removeEventListener("change", this.draw);
  }

  /** @param {Peaks} peaks */
  set peaks(peaks) {
    this.#peaks = peaks;
    this.node.dataset.state = "ready";
    this.draw();
  }

  /** [{start, duration, concealed}], in seconds.
   * @param {Gap[]} gaps */
  set gaps(gaps) {
    this.#gaps = gaps;
    this.draw();
  }

  /** Shows `span` seconds from `from` on.
   * @param {number} from @param {number} span */
  show(from, span) {
    if (from === this.#from && span === this.#span) return;
    this.#from = from;
    this.#span = span;
    this.draw();
  }

  /** Draws once per animation frame, however often it is requested. */
  draw = () => {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#paint();
    });
  };

  #paint() {
    const { clientWidth, clientHeight } = this.node, ratio = devicePixelRatio || 1;
    const width = Math.round(clientWidth * ratio), height = Math.round(clientHeight * ratio);
    if (!width || !height) return;
    const canvas = this.#canvas;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = painterOf(canvas), style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    this.#hatch(context, width, height, style.borderTopColor);
    if (!this.#peaks) return;
    context.fillStyle = style.color;
    const middle = height / 2, reach = (height / 2) * HEIGHT;
    this.#peaks.columns(this.#from, this.#span, width, (column, low, high) => {
      const top = middle - curved(high) * reach, bottom = middle - curved(low) * reach;
      context.fillRect(column, top, 1, Math.max(ratio, bottom - top));
    });
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {string} color */
  #hatch(context, width, height, color) {
    const scale = width / this.#span;
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = devicePixelRatio || 1;
    for (const gap of this.#gaps) {
      const left = (gap.start - this.#from) * scale, right = (gap.start + gap.duration - this.#from) * scale;
      if (right < 0 || left > width) continue;
      context.save();
      context.beginPath();
      // A lost packet is shorter than a pixel in most views; draw it at least one pixel wide.
      const wide = Math.max(2 * context.lineWidth, right - left);
      context.rect(left, 0, wide, height);
      context.clip();
      context.globalAlpha = 0.18;
      context.fillRect(left, 0, wide, height);
      context.globalAlpha = 0.9;
      context.beginPath();
      for (let x = left - height; x < left + wide; x += 6 * context.lineWidth) {
        context.moveTo(x, height);
        context.lineTo(x + height, 0);
      }
      context.stroke();
      context.restore();
    }
  }
}
