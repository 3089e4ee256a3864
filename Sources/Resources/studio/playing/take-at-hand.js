// One of the session's takes in the room: its name, sound, marks and end.

import { path, read, readBytes, send } from "../base/api.js";
import { button, clock, element, setText } from "../base/dom.js";
import { attempt, showProblem } from "../base/notices.js";
import { favouriteButton, ratingField, savedField } from "../takes/about-take.js";
import { Outline } from "../takes/outline.js";
import { Peaks } from "../takes/peaks.js";
import { isFinished, stateBadge, takeName } from "../takes/take-words.js";

export class TakeAtHand {
  node;
  take;
  #preview;
  #name;
  #play;
  #heart;
  #rating;
  #discard;
  #wave = element("div", { className: "strip-wave" });
  #head = element("span", { className: "playhead", hidden: true, ariaHidden: "true" });
  #badge = element("span", { className: "badge" });
  #who = element("p", { className: "facts" });
  #outline;
  #names = "";
  #isDrawn = false;
  #controller = new AbortController();

  /** `preview` plays one take at a time. `mayChange`, `mayDiscard`: what this musician may do; `discard(row)` takes it away.
   * @param {Take} take @param {import("../takes/preview.js").Preview} preview
   * @param {{ mayChange: boolean, mayDiscard: boolean, discard(row: TakeAtHand): unknown }} rights */
  constructor(take, preview, { mayChange, mayDiscard, discard }) {
    this.take = take;
    this.#preview = preview;
    this.#outline = new Outline(`Waveform of ${takeName(take)}`);
    this.#name = mayChange
      ? savedField("input", `Name of take ${take.number}`, (title) => this.edit({ title: title || null }), { className: "name", maxLength: 200 })
      : element("strong", { className: "name" });
    this.#play = button("Play", () => attempt(() => preview.toggle(this.take)), { className: "play-last" });
    this.#wave.append(this.#outline.node, this.#head);
    this.#wave.addEventListener("click", (event) => {
      const box = this.#wave.getBoundingClientRect();
      if (isFinished(this.take)) attempt(() => preview.toggle(this.take, (event.clientX - box.left) / box.width));
    });
    this.#heart = favouriteButton(() => this.edit({ favourite: !this.take.favourite }));
    this.#rating = ratingField((rating) => this.edit({ rating }));
    this.#discard = button("Discard", () => discard(this), { className: "quiet small" });
    for (const node of [this.#rating.node, this.#heart.node]) node.hidden = !mayChange;
    this.#discard.hidden = !mayDiscard;
    this.node = element("li", { className: "take-strip", dataset: { take: take.id } }, this.#play,
      element("div", { className: "strip-about" },
        element("div", { className: "hand-head" }, this.#name, element("div", { className: "marks" }, this.#rating.node, this.#heart.node, this.#discard)),
        this.#wave,
        element("div", { className: "strip-foot" }, this.#badge, this.#who,
          element("a", { href: `/takes/${take.id}`, textContent: "Open", "aria-label": `Open take ${take.number}` }))));
    this.show(take);
    this.follow();
  }

  /** What somebody else has changed meanwhile wins nothing here: the answer is what is shown.
   * @param {object} change */
  edit(change) {
    return attempt(async () => this.show({ ...this.take, ...await send("PATCH", path("takes", this.take.id), change) }));
  }

  /** Shows what is said of the take now, and its sound once it is there; what is being typed stays.
   * @param {Take} take */
  show(take) {
    this.take = take;
    const plain = takeName({ ...take, title: null });
    if (!(this.#name instanceof HTMLInputElement)) setText(this.#name, takeName(take));
    else if (document.activeElement !== this.#name) {
      this.#name.value = take.title ?? "";
      this.#name.placeholder = plain;
    }
    this.#heart.show(take.favourite);
    this.#rating.show(take.rating);
    this.#play.disabled = !isFinished(take);
    this.#discard.ariaLabel = `Discard ${takeName(take)}: it goes to the trash`;
    const badge = stateBadge(take);
    this.#badge.hidden = !badge;
    this.#badge.dataset.state = take.state;
    setText(this.#badge, badge ?? "");
    this.#describe();
    this.#outline.show(0, take.duration ?? 1);
    if (!isFinished(take) || this.#isDrawn) return;
    this.#isDrawn = true;
    this.#draw().catch((error) => { if (!this.#controller.signal.aborted) showProblem(error.message); });
  }

  #describe() { setText(this.#who, [this.take.duration === null ? "" : clock(this.take.duration), this.#names].filter(Boolean).join(" · ")); }

  /** The outline and the names of the musicians, which do not change any more. */
  async #draw() {
    const { signal } = this.#controller, { id } = this.take;
    /** @type {Page<Track>} */
    const { items } = await read(path("takes", id, "tracks"), signal);
    this.#names = items.map(({ participant, part }) => participant.name + (part ? ` (${part})` : "")).join(", ");
    this.#describe();
    this.#outline.peaks = new Peaks(await readBytes(path("takes", id, "peaks"), signal));
  }

  /** Shows where it is played, if it is. */
  follow() {
    const preview = this.#preview, isHere = preview.take?.id === this.take.id, isPlaying = isHere && preview.state !== "stopped";
    const share = isHere ? preview.share : 0, words = isPlaying ? "Pause" : "Play";
    setText(this.#play, words);
    const label = `${words} ${takeName(this.take)}`;
    if (this.#play.ariaLabel !== label) this.#play.ariaLabel = label;
    this.#head.hidden = share === 0 && !isPlaying;
    this.#head.style.transform = `translateX(${100 * Math.min(1, share)}%)`;
  }

  close() {
    this.#controller.abort();
    this.#outline.close();
  }
}
