// The rolling take as a line that grows: how loud it was, where silence was recorded of somebody, and its cues.

import { element, painterOf } from "../base/dom.js";
import { truthOf } from "./facts.js";

/** Columns of a line; with the last one full, two become one. An hour takes as much memory as a minute. */
const COLUMNS = 600;
/** Seconds of a column at first. */
const FINEST = 0.1;
const SCALE = 0.7;
const HEIGHT = 44;

/** What is kept of a take. Pure. */
export class TakeLine {
  levels = new Float32Array(COLUMNS);
  /** 1 where somebody's silence was recorded. */
  silences = new Uint8Array(COLUMNS);
  /** Seconds of a column. */
  step = FINEST;
  /** Columns that have begun. */
  length = 0;

  /** `at`: seconds of the take; `level`: 0 to 1. Nonsense is dropped.
   * @param {number} at @param {number} level @param {boolean} isMuted */
  add(at, level, isMuted) {
    if (!(at >= 0 && Number.isFinite(at) && Number.isFinite(level))) return;
    while (at / this.step >= COLUMNS) this.#halve();
    const column = Math.floor(at / this.step);
    this.length = Math.max(this.length, column + 1);
    this.levels[column] = Math.max(this.levels[column], Math.min(1, level));
    if (isMuted) this.silences[column] = 1;
  }

  #halve() {
    for (const values of [this.levels, this.silences]) {
      for (let column = 0; column < COLUMNS; column += 1) {
        const from = 2 * column;
        values[column] = from < COLUMNS ? Math.max(values[from], values[from + 1]) : 0;
      }
    }
    this.step *= 2;
    this.length = Math.ceil(this.length / 2);
  }
}

/** The line of the take that rolls; `add(at)` takes what is heard at a second of it.
 * @param {Studio} studio */
export class RollingLine {
  node = element("canvas", { className: "take-line", width: COLUMNS, height: HEIGHT, ariaHidden: "true", hidden: true });
  #studio;
  #painter = painterOf(this.node);
  /** @type {string | null} */
  #take = null;
  line = new TakeLine();
  #drawn = "";

  /** @param {Studio} studio */
  constructor(studio) { this.#studio = studio; }

  /** `at`: seconds of the take that rolls; null without one.
   * @param {number | null} at */
  add(at) {
    const { take, members } = this.#studio;
    this.node.hidden = !take;
    if (take?.id !== this.#take) {
      this.#take = take?.id ?? null;
      this.line = new TakeLine();
    }
    if (!take || at === null) return;
    const truths = [...members.keys()].map((id) => ({ id, server: truthOf(this.#studio, id)?.server }));
    const levels = truths.filter(({ server }) => server === "sound").map(({ id }) => this.#studio.level(id));
    this.line.add(at, Math.max(0, ...levels), truths.some(({ server }) => server === "silence"));
    const drawn = [this.#take, this.line.length, this.line.step, this.#studio.cues.length].join();
    if (!this.node.isConnected || drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#paint();
  }

  #paint() {
    const { line, node: { width, height } } = this, painter = this.#painter, style = getComputedStyle(this.node);
    // Colours of the theme, which are computed only where they are an element's own.
    const [sound, silence, cue] = [style.color, style.borderTopColor, style.outlineColor];
    painter.clearRect(0, 0, width, height);
    // The lowest pixels are for silence, so that it is seen beside what the others play.
    const tall = height - 6;
    for (let column = 0; column < line.length; column += 1) {
      const loud = Math.max(1, line.levels[column] ** SCALE * tall);
      painter.fillStyle = sound;
      painter.fillRect(column, (tall - loud) / 2, 1, loud);
      if (!line.silences[column]) continue;
      painter.fillStyle = silence;
      painter.fillRect(column, height - 4, 1, 4);
    }
    painter.fillStyle = cue;
    for (const { position } of this.#studio.cues) painter.fillRect(Math.min(width - 2, position / line.step), 0, 2, tall);
  }
}
