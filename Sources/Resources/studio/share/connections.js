// Thin strips under the outline, one for each musician who is heard: where their connections made the music suffer.

import { element } from "../base/dom.js";
import { QualityStrip } from "../takes/quality-strip.js";
import { describeQuality } from "./link.js";

export class Connections {
  node = element("div", { className: "connections" });
  #zoom;
  /** @type {string | undefined} */
  #track;
  /** @type {{ id: string | null, strip: QualityStrip }[]} */
  #strips = [];

  /** @param {number} length of the take in seconds */
  constructor(length) {
    this.#zoom = { from: 0, span: length, length };
  }

  async load() {
    try {
      const { tracks } = await describeQuality();
      this.#strips = tracks.map(({ id, name, stretches }) => {
        const strip = new QualityStrip(name, this.#zoom);
        strip.show(stretches.map(({ start, end, level, cause }) => ({ start, end, worst: { level, cause } })));
        return { id, strip };
      });
      this.track = this.#track;
    } catch { /* The recording can be heard without them. */ }
  }

  /** The one track that is heard; undefined for everybody.
   * @param {string | undefined} track */
  set track(track) {
    this.#track = track;
    this.node.replaceChildren(...this.#strips.filter(({ id }) => !track || id === track).map(({ strip }) => strip.node));
  }
}
