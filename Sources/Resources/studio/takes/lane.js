// One waveform with the playhead and the loop over it; a click or drag moves the playhead.

import { element, targetOf } from "../base/dom.js";
import { Outline } from "./outline.js";
import { QualityStrip } from "./quality-strip.js";

/** Calls `to(seconds, event)` while the pointer is held, at most once per animation frame.
 * @param {HTMLElement} node @param {{ from: number, span: number, length: number }} zoom @param {(seconds: number, event: PointerEvent, origin?: number) => void} to @param {{ begin?(seconds: number, event: PointerEvent): void, end?(seconds: number, event: PointerEvent, origin: number): void }} ends */
export function dragged(node, zoom, to, { begin, end } = {}) {
  /** @param {PointerEvent} event */
  const secondsAt = (event) => {
    const box = node.getBoundingClientRect();
    return Math.max(0, Math.min(zoom.length, zoom.from + ((event.clientX - box.left) / box.width) * zoom.span));
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || targetOf(event)?.closest("button")) return;
    const origin = secondsAt(event);
    node.setPointerCapture(event.pointerId);
    (begin ?? to)(origin, event);
    /** @type {PointerEvent | null} */
    let latest = null;
    /** @param {PointerEvent} event */
    const move = (event) => {
      if (!latest) {
        requestAnimationFrame(() => {
          if (latest) to(secondsAt(latest), latest, origin);
          latest = null;
        });
      }
      latest = event;
    };
    /** @param {PointerEvent} event */
    const done = (event) => {
      latest = null;
      node.removeEventListener("pointermove", move);
      if (event.type === "pointerup") end?.(secondsAt(event), event, origin);
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", done, { once: true });
    node.addEventListener("pointercancel", done, { once: true });
  });
}

export class Lane {
  outline;
  quality;
  node;
  #zoom;
  #head = element("span", { className: "playhead", "aria-hidden": "true" });
  #loop = element("span", { className: "loop-shade", hidden: true, "aria-hidden": "true" });

  /** @param {string} label @param {string} musician @param {Zoom} zoom @param {(seconds: number) => void} seek @param {string} [className] */
  constructor(label, musician, zoom, seek, className = "") {
    this.#zoom = zoom;
    this.outline = new Outline(label, className);
    this.quality = new QualityStrip(musician, zoom);
    this.outline.show(zoom.from, zoom.span);
    this.node = element("div", { className: "lane" }, this.outline.node, this.quality.node, this.#loop, this.#head);
    dragged(this.node, zoom, (seconds) => seek(seconds));
  }

  close() { this.outline.close(); }

  /** Draws the visible part. */
  scroll() {
    this.outline.show(this.#zoom.from, this.#zoom.span);
    this.quality.scroll();
  }

  /** Puts the playhead at `seconds` and the shade over `loop` ({from, to} in seconds, or null).
   * @param {number} seconds @param {TimeSpan | null} loop */
  mark(seconds, loop) {
    const { from, span } = this.#zoom, place = (seconds - from) / span;
    this.#head.hidden = place < 0 || place > 1;
    this.#head.style.setProperty("transform", `translateX(${place * 100}%)`);
    this.#loop.hidden = !loop;
    if (!loop) return;
    const left = Math.max(0, (loop.from - from) / span), right = Math.min(1, (loop.to - from) / span);
    this.#loop.hidden = right <= left;
    this.#loop.style.setProperty("left", `${left * 100}%`);
    this.#loop.style.setProperty("width", `${(right - left) * 100}%`);
  }
}
