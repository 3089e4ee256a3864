// A thin strip under a track's waveform: where the musician's connection made the music suffer, and why.

import { clock, count, element } from "../base/dom.js";
import { readingFigures, SUFFERING, verdictWords } from "../base/quality-words.js";

/** Most stretches to name for screen readers; the rest are only counted. */
const NAMED = 5;
/** Rows this near to each other belong together, in seconds. */
const SEAM = 0.5;

/** Neighbouring rows at one level for one reason are one stretch; its worst row stands for it.
 * @param {QualityRow[]} rows */
export function stretchesOf(rows) {
  /** @type {{ start: number, end: number, worst: QualityRow }[]} */
  const stretches = [];
  for (const row of rows) {
    if (row.level < SUFFERING) continue;
    const last = stretches.at(-1);
    if (last && row.start - last.end <= SEAM && last.worst.level === row.level && last.worst.cause === row.cause) {
      last.end = row.end;
      if (row.missed + row.concealed > last.worst.missed + last.worst.concealed) last.worst = row;
    } else stretches.push({ start: row.start, end: row.end, worst: row });
  }
  return stretches;
}

/** "Connection of Ada: good throughout", "Connection of Ada: poor: packets lost on the way, 0:12 to 0:18; …"
 * @param {string} name @param {QualityStretch[]} stretches */
export function stripWords(name, stretches) {
  if (!stretches.length) return `Connection of ${name}: good throughout`;
  const named = stretches.slice(0, NAMED).map(({ start, end, worst }) => `${verdictWords(worst)}, ${clock(start)} to ${clock(end)}`);
  const more = stretches.length - named.length;
  return `Connection of ${name}: ${named.join("; ")}${more > 0 ? `; and ${count(more, "more stretch", "more stretches")}` : ""}`;
}

/** " (round trip 41 ms, loss 6.0 %)"; nothing for a stretch that came without figures.
 * @param {QualityStretch["worst"]} worst */
function figures(worst) {
  const words = worst.expected === undefined ? "" : readingFigures(/** @type {QualityRow} */ (worst));
  return words && ` (${words})`;
}

export class QualityStrip {
  node;
  #rows = element("div", {});
  #zoom;
  #name;

  /** @param {string} name @param {{ from: number, span: number, length: number }} zoom */
  constructor(name, zoom) {
    this.#name = name;
    this.#zoom = zoom;
    this.node = element("div", { className: "quality-strip", role: "img", hidden: true }, this.#rows);
  }

  /** Without rows there is no strip: nobody measured this take.
   * @param {QualityRow[]} rows */
  set rows(rows) {
    if (rows.length) this.show(stretchesOf(rows));
    else this.node.hidden = true;
  }

  /** The stretches of somebody who was measured.
   * @param {QualityStretch[]} stretches */
  show(stretches) {
    const { length } = this.#zoom;
    this.node.hidden = !length;
    const words = stripWords(this.#name, stretches);
    this.node.ariaLabel = words;
    this.node.title = words;
    this.#rows.replaceChildren(...stretches.map(({ start, end, worst }) => element("span", {
      dataset: { level: String(worst.level) }, title: `${clock(start)} to ${clock(end)}: ${verdictWords(worst)}${figures(worst)}`,
      style: { left: `${(start / length) * 100}%`, width: `${((end - start) / length) * 100}%` },
    })));
    this.scroll();
  }

  /** Shows the visible part. */
  scroll() {
    const { from, span, length } = this.#zoom;
    this.#rows.style.setProperty("width", `${(length / span) * 100}%`);
    this.#rows.style.setProperty("margin-left", `${(-from / span) * 100}%`);
  }
}
