// A row of the list of takes: selection, mix, outline, rating, link to the take's page.

import { button, element } from "../base/dom.js";
import { path, readBytes } from "../base/api.js";
import { favouriteButton } from "./about-take.js";
import { Outline } from "./outline.js";
import { Peaks } from "./peaks.js";
import { ratingMark, takeWhat } from "./rows.js";
import { isFinished, takeName } from "./take-words.js";
import { icon } from "./transport.js";

export class ListRow {
  node;
  take;
  #does;
  #what;
  #rating;
  #outline;
  #play;
  #heart;
  #box;
  #head = element("span", { className: "playhead", hidden: true, "aria-hidden": "true" });
  #controller = new AbortController();
  #isDrawn = false;

  /** `does`: select(row), play(take, share or null), favourite(take), restore(take).
   * @param {Take} take @param {{ select(row: ListRow): void, play(take: Take, share: number | null): unknown, favourite(take: Take): unknown, restore(take: Take): unknown }} does */
  constructor(take, does) {
    this.take = take;
    this.#does = does;
    this.#box = element("input", { type: "checkbox", "aria-label": `Choose ${takeName(take)}`,
      onchange: () => does.select(this) });
    this.#play = button("", () => does.play(this.take, null), { className: "play" });
    this.#outline = new Outline(`Waveform of ${takeName(take)}`);
    this.#outline.show(0, take.duration ?? 1);
    const small = element("div", { className: "small-outline" }, this.#outline.node, this.#head);
    small.addEventListener("click", (event) => {
      const box = small.getBoundingClientRect();
      if (isFinished(this.take)) does.play(this.take, (event.clientX - box.left) / box.width);
    });
    this.#heart = favouriteButton(() => does.favourite(this.take));
    this.node = element("li", { className: "take-row", dataset: { take: take.id } },
      element("label", { className: "select" }, this.#box), this.#play,
        this.#what = takeWhat(take, { withHeart: false }), small,
      element("div", { className: "end" }, this.#rating = ratingMark(take),
        take.deletedAt ? button("Restore", () => does.restore(this.take),
          { className: "quiet small" }) : this.#heart.node));
    this.show(take);
    this.playing("stopped", 0);
  }

  get isChosen() { return this.#box.checked; }
  set isChosen(isChosen) { this.#box.checked = isChosen; }

  /** Shows the take's present title, rating and so on.
   * @param {Take} take */
  show(take) {
    this.take = take;
    const what = takeWhat(take, { withHeart: false }), rating = ratingMark(take);
    this.#what.replaceWith(what);
    this.#rating.replaceWith(rating);
    [this.#what, this.#rating] = [what, rating];
    this.#heart.show(take.favourite);
    this.#play.disabled = !isFinished(take);
    this.#outline.show(0, take.duration ?? 1);
  }

  /** `state`: "playing", "waiting" or "stopped"; `share`: the position, 0 to 1.
   * @param {string} state @param {number} share */
  playing(state, share) {
    const isPlaying = state !== "stopped";
    if (this.#play.dataset.state !== state) {
      this.#play.dataset.state = state;
      this.#play.replaceChildren(icon(isPlaying ? "pause" : "play"));
      this.#play.setAttribute("aria-label", `${isPlaying ? "Pause" : "Play"} ${takeName(this.take)}`);
    }
    this.#head.hidden = share <= 0;
    this.#head.style.setProperty("transform", `translateX(${share * 100}%)`);
  }

  /** Fetches the outline, once the row is visible. */
  async draw() {
    if (this.#isDrawn || !isFinished(this.take)) return;
    this.#isDrawn = true;
    try {
      this.#outline.peaks = new Peaks(await readBytes(path("takes", this.take.id, "peaks"), this.#controller.signal));
    } catch {
      // The row is useful without an outline.
    }
  }

  /** @param {FocusOptions} [options] */
  focus(options) { this.#what.querySelector("a")?.focus(options); }

  close() {
    this.#controller.abort();
    this.#outline.close();
  }
}
