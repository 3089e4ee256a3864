// The cues of a take: add at the playhead, rename, move, delete; shown as a list below the tracks and as flags above
// them.

import { button, element } from "../base/dom.js";
import { attempt, showNotice } from "../base/notices.js";
import { WindowedList } from "../base/windowed.js";
import { fineClock } from "./take-words.js";

/** The default name of a new cue. */
const NEW = "Cue";

export class TakeCues {
  node;
  #store;
  #player;
  #side;
  #list = element("ol", { className: "cue-list" });
  /** As each cue is shown: a take has up to 10,000.
   * @type {Map<string, string>} */
  #shown = new Map();
  #windowed = new WindowedList(this.#list, {
    make: (id) => ({ node: this.#row(/** @type {Cue} */ (this.#store.take.cues?.find((cue) => cue.id === id))), close() {} }),
  });
  #none = element("p", { className: "empty", textContent: "No cues yet. Press C while you listen, or the button." });

  /** @param {Player} player @param {Side} side */
  constructor(player, side) {
    this.#player = player;
    this.#side = side;
    this.#store = side.store;
    this.node = element("section", { className: "card", "aria-label": "Cues" },
      element("div", { className: "card-head" }, element("h2", { textContent: "Cues" }),
        button("Cue here", () => this.add(), { className: "quiet small", title: "Cue at the playhead (C)" })),
      this.#none, this.#list);
    this.#store.addEventListener("change", this.show);
    this.show();
  }

  close() {
    this.#store.removeEventListener("change", this.show);
    this.#windowed.close();
  }

  /** Offers to undo a deletion.
   * @type {((text: string, work: () => Promise<unknown>) => void) | undefined} */
  undo;

  /** The actions for ruler.js and the keys.
   * @type {CueActions} */
  does = {
    seek: (cue) => this.#player.seek(cue.position, this.#side),
    move: (cue, position) => attempt(() => this.#store.editCue(cue,
      { position: Math.round(position * 1_000) / 1_000 })),
    rename: (cue) => {
      if (!this.#windowed.rows.has(cue.id)) this.#windowed.goTo({ key: cue.id, top: innerHeight / 2 });
      const field = this.#list.querySelector(`[data-cue="${cue.id}"] input`);
      if (!(field instanceof HTMLInputElement)) return;
      field.focus();
      field.select();
    },
    delete: (cue) => this.#delete(cue),
  };

  /** Adds a cue at the playhead and opens its name for editing. */
  async add() {
    const position = Math.round(this.#player.time(this.#side) * 1_000) / 1_000;
    const known = new Set((this.#store.take.cues ?? []).map(({ id }) => id));
    await attempt(() => this.#store.addCue(NEW, Math.max(0, Math.min(position, this.#store.take.duration ?? position))));
    const added = (this.#store.take.cues ?? []).find(({ id }) => !known.has(id));
    if (added) this.does.rename(added);
  }

  /** @param {Cue} cue */
  async #delete(cue) {
    const deleted = await attempt(async () => {
      await this.#store.deleteCue(cue);
      return true;
    });
    if (!deleted) return;
    showNotice(`The cue ${cue.text} is deleted`);
    this.undo?.(`The cue “${cue.text}” is deleted.`, () => this.#store.addCue(cue.text, cue.position));
  }

  show = () => {
    const cues = this.#store.take.cues ?? [];
    const { activeElement: active } = document;
    const focused = active && this.#list.contains(active) ? `[data-cue="${active.closest("li")?.dataset.cue}"] ${active.tagName}` : null;
    this.#none.hidden = cues.length > 0;
    const now = new Map(cues.map((cue) => [cue.id, JSON.stringify([cue, this.#author(cue)])]));
    for (const [id, words] of now) if (this.#shown.get(id) !== words) this.#windowed.renew(id);
    this.#shown = now;
    this.#windowed.show([...now.keys()], true);
    const again = focused ? this.#list.querySelector(focused) : null;
    if (again instanceof HTMLElement) again.focus();
  };

  /** Signed by those who play in the take; identifiers tell nobody anything.
   * @param {Cue} cue */
  #author(cue) { return this.#store.tracks.find(({ participant }) => participant.id === cue.author)?.participant.name; }

  /** @param {Cue} cue */
  #row(cue) {
    const field = element("input", { value: cue.text, maxLength: 200,
      "aria-label": `Text of the cue at ${fineClock(cue.position)}` });
    field.addEventListener("change", () => attempt(async () => {
      const text = field.value.trim();
      if (text && text !== cue.text) await this.#store.editCue(cue, { text });
      else field.value = cue.text;
    }));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") field.value = cue.text;
      if (event.key === "Enter" || event.key === "Escape") field.blur();
    });
    const by = this.#author(cue);
    return element("li", { dataset: { cue: cue.id } },
      button(fineClock(cue.position), () => this.does.seek(cue),
        { className: "toggle time", "aria-label": `Go to ${cue.text} at ${fineClock(cue.position)}` }),
      field, by ? element("small", { textContent: by }) : null,
      cue.comment ? this.#comment(cue, cue.comment) : null,
      button("×", () => this.#delete(cue), { className: "toggle bare", "aria-label": `Delete the cue ${cue.text}` }));
  }

  /** Who left a comment by a link, and whether the link's page shows it.
   * @param {Cue} cue @param {NonNullable<Cue["comment"]>} comment */
  #comment(cue, { name, hidden }) {
    return element("span", { className: "row comment" }, element("small", { textContent: `${name}, by a link` }),
      button(hidden ? "Show" : "Hide", () => attempt(() => this.#store.editCue(cue, { hidden: !hidden })),
        { className: "quiet small", "aria-label": `${hidden ? "Show" : "Hide"} the comment ${cue.text} on the page of the link` }));
  }
}
