// The ruler over the tracks: times, cues as flags, and the loop, which is set by dragging.

import { button, clock, element } from "../base/dom.js";
import { dragged } from "./lane.js";
import { fineClock } from "./take-words.js";

/** Steps between two numbers, in seconds. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600];
/** Least distance between two numbers, in pixels. */
const ROOM = 64;
/** Width of a number, in pixels. */
const EDGE = 44;
/** A smaller pointer movement counts as a click, in pixels. */
const CLICK = 4;
/** Step of the arrow keys, which move a flag, in seconds; ten times as much with shift. */
const NUDGE = 0.1;

export class Ruler {
  node = element("div", { className: "ruler", role: "group", "aria-label": "Time and cues" });
  #ticks = element("div", { className: "ticks", "aria-hidden": "true" });
  #flags = element("div", { className: "flags" });
  #loop = element("span", { className: "loop-bar", hidden: true });
  #head = element("span", { className: "playhead knob", "aria-hidden": "true" });
  #zoom;
  #does;
  /** @type {Cue[]} */
  #cues = [];
  #observer;

  /** `does`: seek(seconds), select(from, to), cue.{seek, move, rename, delete}(cue, …).
   * @param {Zoom} zoom @param {ScoreActions} does */
  constructor(zoom, does) {
    this.#zoom = zoom;
    this.#does = does;
    this.node.append(this.#ticks, this.#loop, this.#flags, this.#head);
    this.#observer = new ResizeObserver(() => this.draw());
    this.#observer.observe(this.node);
    let origin = 0, isSelecting = false;
    dragged(this.node, zoom, (seconds, event) => {
      if (!isSelecting && Math.abs(event.clientX - origin) < CLICK) return;
      isSelecting = true;
      this.#does.select(Math.min(this.#from, seconds), Math.max(this.#from, seconds));
    }, {
      begin: (seconds, event) => {
        origin = event.clientX;
        isSelecting = false;
        this.#from = seconds;
      },
      end: (seconds) => { if (!isSelecting) this.#does.seek(seconds); },
    });
  }
  #from = 0;

  close() { this.#observer.disconnect(); }

  /** @param {Cue[]} cues */
  set cues(cues) {
    this.#cues = cues;
    this.draw();
  }

  draw() {
    const width = this.node.clientWidth;
    if (!width) return;
    const { from, span } = this.#zoom;
    const step = STEPS.find((step) => (step / span) * width >= ROOM) ?? STEPS[STEPS.length - 1];
    const ticks = [];
    for (let at = Math.ceil(from / step) * step; at <= from + span + 1e-9; at += step) {
      const place = (at - from) / span, words = step < 1 ? fineClock(at) : clock(at + 1e-6);
      // A number that the edge would cut is left out.
      ticks.push(element("span", { style: { left: `${place * 100}%` }, textContent: (1 - place) * width < EDGE ? "" : words }));
    }
    this.#ticks.replaceChildren(...ticks);
    this.#drawFlags();
  }

  #drawFlags() {
    const { from, span } = this.#zoom;
    const { activeElement: active } = document;
    const focused = active instanceof HTMLElement && this.#flags.contains(active) ? active.dataset.cue : null;
    const inView = this.#cues.filter(({ position }) => position >= from && position <= from + span);
    this.#flags.replaceChildren(...inView.map((cue) => this.#flag(cue)));
    if (focused) [...this.#flags.children].forEach((flag) => { if (flag instanceof HTMLElement && flag.dataset.cue === focused) flag.focus(); });
  }

  /** @param {Cue} cue */
  #flag(cue) {
    const { from, span } = this.#zoom;
    const flag = button(cue.text, null, {
      className: "flag", dataset: { cue: cue.id }, style: { left: `${((cue.position - from) / span) * 100}%` },
      title: `${cue.text} (${fineClock(cue.position)})`,
      "aria-label": `Cue ${cue.text} at ${fineClock(cue.position)}`,
      "aria-description": "Enter goes there, arrows move it, F2 renames it, Delete removes it.",
    });
    flag.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -NUDGE, ArrowRight: NUDGE }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (move) this.#does.cue.move(cue,
        Math.max(0, Math.min(this.#zoom.length, cue.position + move * (event.shiftKey ? 10 : 1))));
      else if (event.key === "F2") this.#does.cue.rename(cue);
      else if (event.key === "Delete" || event.key === "Backspace") this.#does.cue.delete(cue);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#dragFlag(flag, cue);
    return flag;
  }

  /** A click seeks to the cue, a drag moves it; it is saved once, on release.
   * @param {HTMLElement} flag @param {Cue} cue */
  #dragFlag(flag, cue) {
    flag.addEventListener("click", () => this.#does.cue.seek(cue));
    flag.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const origin = event.clientX, box = this.node.getBoundingClientRect();
      let position = cue.position, hasMoved = false;
      const move = (/** @type {PointerEvent} */ { clientX }) => {
        if (!hasMoved && Math.abs(clientX - origin) < CLICK) return;
        hasMoved = true;
        position = Math.max(0,
          Math.min(this.#zoom.length, cue.position + ((clientX - origin) / box.width) * this.#zoom.span));
        flag.style.setProperty("left", `${((position - this.#zoom.from) / this.#zoom.span) * 100}%`);
      };
      const done = () => {
        flag.removeEventListener("pointermove", move);
        if (!hasMoved) return;
        flag.addEventListener("click", (event) => event.stopImmediatePropagation(), { once: true, capture: true });
        this.#does.cue.move(cue, position);
      };
      flag.setPointerCapture(event.pointerId);
      flag.addEventListener("pointermove", move);
      flag.addEventListener("pointerup", done, { once: true });
    });
  }

  /** @param {number} seconds @param {TimeSpan | null} loop */
  mark(seconds, loop) {
    const { from, span } = this.#zoom, place = (seconds - from) / span;
    this.#head.hidden = place < 0 || place > 1;
    this.#head.style.setProperty("transform", `translateX(${place * 100}%)`);
    const left = loop ? Math.max(0, (loop.from - from) / span) : 0,
      right = loop ? Math.min(1, (loop.to - from) / span) : 0;
    this.#loop.hidden = right <= left;
    this.#loop.style.setProperty("left", `${left * 100}%`);
    this.#loop.style.setProperty("width", `${(right - left) * 100}%`);
  }
}
