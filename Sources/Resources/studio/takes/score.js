// The tracks of one take under a common ruler: strips on the left, waveforms on the right, an overview of the whole
// take above.

import { element, targetOf } from "../base/dom.js";
import { path, read, readBytes } from "../base/api.js";
import { sentence } from "../base/refusal.js";
import { Lane, dragged } from "./lane.js";
import { Outline } from "./outline.js";
import { Peaks } from "./peaks.js";
import { Ruler } from "./ruler.js";
import { Strip } from "./strip.js";
import { trackName } from "./take-words.js";
import { Zoom } from "./zoom.js";

/** Zoom factor per turn of the wheel. */
const WHEEL = 1.0018;

export class Score {
  node;
  /** The overview of the whole take, for the player's head. */
  overview;
  /** @type {Strip[]} */
  strips = [];
  zoom;
  #store;
  /** @type {Lane[]} */
  #lanes = [];
  #ruler;
  #window = element("span", { className: "window", "aria-hidden": "true" });
  #small;
  #head = element("span", { className: "playhead", "aria-hidden": "true" });
  /** Called when another part of the take is shown.
   * @type {(() => void) | undefined} */
  onScroll;
  #controller = new AbortController();

  /** `does`: seek(seconds), select(from, to), cue.{…} as in ruler.js.
   * @param {TakeStore} store @param {Mixing} mixing @param {ScoreActions} does */
  constructor(store, mixing, does) {
    this.#store = store;
    this.zoom = new Zoom(store.take.duration ?? 0);
    this.#ruler = new Ruler(this.zoom, does);
    this.#small = new Outline("The whole take", "whole");
    this.overview = element("div", { className: "overview" }, this.#small.node, this.#window, this.#head);
    this.#small.show(0, this.zoom.length);
    // The overview always shows the whole take, whatever the zoom of the tracks.
    dragged(this.overview, { length: this.zoom.length, from: 0, span: this.zoom.length }, (seconds) => {
      does.seek(seconds);
      if (!this.zoom.isWhole) this.zoom.set(seconds - this.zoom.span / 2, this.zoom.span);
    });
    this.node = element("div", { className: "score" }, element("div", { className: "corner" }), this.#ruler.node);
    for (const track of store.tracks) {
      const strip = new Strip(track, mixing);
      const lane = new Lane(`Waveform of ${trackName(track)}`, track.participant.name, this.zoom, does.seek,
        `track-${((track.number - 1) % 6) + 1}`);
      lane.outline.gaps = track.gaps;
      strip.node.classList.add(`track-${((track.number - 1) % 6) + 1}`);
      this.strips.push(strip);
      this.#lanes.push(lane);
      this.node.append(strip.node, lane.node);
      this.#outline(lane.outline, path("takes", store.id, "tracks", track.id, "peaks"), (text) => strip.note(text));
    }
    this.#measured();
    this.#outline(this.#small, path("takes", store.id, "peaks"), () => {});
    this.zoom.addEventListener("change", this.#scroll);
    this.node.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.showCues();
    this.#scroll();
  }

  close() {
    this.#controller.abort();
    this.#ruler.close();
    this.#small.close();
    for (const lane of this.#lanes) lane.close();
  }

  /** @param {Outline} outline @param {string} address @param {(text: string) => void} note */
  async #outline(outline, address, note) {
    try {
      outline.peaks = new Peaks(await readBytes(address, this.#controller.signal));
    } catch (/** @type {any} */ error) {
      if (error.name !== "AbortError") note(sentence(error.message));
    }
  }

  /** The connections during the take; without them the waveforms stand alone. */
  async #measured() {
    try {
      /** @type {{ tracks: { track: string, rows: QualityRow[] }[] }} */
      const { tracks } = await read(path("takes", this.#store.id, "quality"), this.#controller.signal);
      for (const [index, { id }] of this.#store.tracks.entries()) {
        const lane = this.#lanes[index];
        if (lane) lane.quality.rows = tracks.find(({ track }) => track === id)?.rows ?? [];
      }
    } catch { /* The take can be heard without it. */ }
  }

  showCues() { this.#ruler.cues = this.#store.take.cues ?? []; }

  #scroll = () => {
    for (const lane of this.#lanes) lane.scroll();
    this.#ruler.draw();
    const { from, span, length } = this.zoom;
    this.#window.hidden = this.zoom.isWhole;
    this.#window.style.setProperty("left", `${(from / length) * 100}%`);
    this.#window.style.setProperty("width", `${(span / length) * 100}%`);
    this.onScroll?.();
  };

  /** Zooms with the control key (or a pinch); scrolls along the take sideways or with shift.
   * @param {WheelEvent} event */
  #wheel(event) {
    const lane = targetOf(event)?.closest(".lane, .ruler");
    if (!lane) return;
    if (event.ctrlKey || event.metaKey) {
      const box = lane.getBoundingClientRect();
      this.zoom.by(WHEEL ** -event.deltaY, this.zoom.from + ((event.clientX - box.left) / box.width) * this.zoom.span);
    } else {
      const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
      if (!sideways || this.zoom.isWhole) return;
      this.zoom.scroll((sideways / lane.clientWidth) * this.zoom.span);
    }
    event.preventDefault();
  }

  /** Puts all playheads at `seconds`, and shades over `loop`.
   * @param {number} seconds @param {TimeSpan | null} loop */
  mark(seconds, loop) {
    this.#ruler.mark(seconds, loop);
    for (const lane of this.#lanes) lane.mark(seconds, loop);
    this.#head.style.setProperty("transform",
      `translateX(${Math.max(0, Math.min(1, seconds / this.zoom.length)) * 100}%)`);
  }

  /** Shows the deck's levels: id → peak.
   * @param {Map<string, number>} levels */
  level(levels) {
    for (const strip of this.strips) strip.level(levels.get(strip.track.id) ?? 0);
  }

  /** The strip for the keys M and S: the one with the focus, or the last one that had it. */
  get focused() { return this.strips.find(({ node }) => node.contains(document.activeElement)) ?? this.#last; }
  /** @type {Strip | null} */
  #last = null;
  remember() { this.#last = this.focused; }
}
