// A against B: the choice of the other take, of the side that is heard, and the offset between them.

import { button, element, moment } from "../base/dom.js";
import { read } from "../base/api.js";
import { Refusal } from "../base/refusal.js";
import { TakeStore } from "./take-store.js";
import { figure, fineClock, isFinished, lengthWords, takeName } from "./take-words.js";

/** Step of the keys [ and ], which move B, in seconds; a tenth of it with shift. */
const NUDGE = 0.1;

export class Compare {
  node;
  #player;
  #choice;
  #sides;
  /** @type {Record<string, HTMLInputElement>} */
  #radios = {};
  /** @type {Record<string, HTMLElement>} */
  #names = {};
  #overviews = { a: element("div", {}), b: element("div", {}) };
  /** @type {HTMLInputElement} */
  #match;
  #matchWords = element("small", {});
  #linked;
  /** @type {HTMLInputElement} */
  #shift;
  #more;
  #stop;

  /** `chosen(id or null)` is called when another take is chosen, so that the address can name it.
   * @param {Player} player @param {(take: string | null) => unknown} chosen */
  constructor(player, chosen) {
    this.#player = player;
    this.#choice = element("select", { "aria-label": "Compare with" },
      element("option", { value: "", textContent: "Compare with …" }));
    this.#choice.addEventListener("change", () => chosen(this.#choice.value || null));
    this.#sides = element("fieldset", { className: "sides" },
      element("legend", { className: "hidden", textContent: "Side to hear" }),
      this.#sideRow("a"), this.#sideRow("b"));
    this.#match = element("input", { type: "checkbox", checked: player.isMatched,
      onchange: () => player.match(this.#match.checked) });
    this.#linked = element("input", { type: "checkbox", checked: true, onchange: () => {
      if (this.#linked.checked) player.shift(0);
      this.show();
    } });
    this.#shift = element("input", { type: "number", step: 0.01, className: "small-number",
      "aria-label": "Seconds by which B is later", onchange: () => player.shift(Number(this.#shift.value) || 0) });
    this.#stop = button("Only this take", () => chosen(null), { className: "quiet small" });
    this.#more = element("div", { className: "compare-more" },
      element("label", { className: "choice" }, this.#match, element("span", {}, "Equally loud ", this.#matchWords)),
      element("label", { className: "choice" }, this.#linked,
        element("span", {}, "Positions linked ",
        element("small", { textContent: "unlinked, a click into B's waveform aligns that place with A" }))),
      element("label", { className: "choice shift" }, "B later by", this.#shift, "s"),
      element("span", { className: "spacer" }), button("Switch (X)", () => player.switch(), { className: "small" }),
        this.#stop);
    this.node = element("div", { className: "compare" }, this.#sides, this.#more, this.#choice);
    player.addEventListener("sides", this.show);
    player.addEventListener("mix", this.show);
    this.show();
  }

  get isLinked() { return this.#linked.checked; }

  /** @param {"a" | "b"} name */
  #sideRow(name) {
    const radio = element("input", { type: "radio", name: "jamjar-side", value: name,
      onchange: () => this.#player.hear(this.#player[name]) });
    this.#radios[name] = radio;
    this.#names[name] = element("span", {});
    return element("div", { className: `side side-${name}` },
      element("label", {}, radio, element("strong", { textContent: name.toUpperCase() }), this.#names[name]),
        this.#overviews[name]);
  }

  /** Shows a small picture of a take beside its letter.
   * @param {"a" | "b"} name @param {HTMLElement | null} overview */
  place(name, overview) { this.#overviews[name].replaceChildren(...(overview ? [overview] : [])); }

  /** Offers the takes of the same song first, then those of the same room.
   * @param {Take} take @param {string | null} chosen */
  async offer(take, chosen) {
    /** @param {string} query */
    const of = async (query) => /** @type {Page<Take>} */ (await read(`/v1/takes?limit=50&${query}`)).items
      .filter((each) => each.id !== take.id && isFinished(each));
    const song = take.song ? await of(`song=${take.song.id}`) : [];
    const room = (await of(`room=${encodeURIComponent(take.room)}`))
      .filter(({ id }) => !song.some((each) => each.id === id));
    /** @param {Take} each */
    const option = (each) => element("option",
      { value: each.id, textContent: `${takeName(each)} · ${moment(each.startedAt)} · ${lengthWords(each)}` });
    /** @param {string} label @param {Take[]} takes */
    const group = (label, takes) => (takes.length ? [element("optgroup", { label }, ...takes.map(option))] : []);
    this.#choice.replaceChildren(element("option", { value: "", textContent: "Compare with …" }),
      ...group("The same song", song), ...group("The same room", room));
    this.#choice.hidden = !song.length && !room.length;
    this.select(chosen);
  }

  /** @param {string | null} id */
  select(id) {
    if (id && ![...this.#choice.options].some(({ value }) => value === id)) {
      this.#choice.append(element("option",
        { value: id, textContent: this.#player.b ? takeName(this.#player.b.store.take) : id }));
      this.#choice.hidden = false;
    }
    this.#choice.value = id ?? "";
  }

  /** Loads the other take; refuses one without files.
   * @param {string} id @param {AbortSignal} [signal] */
  static async load(id, signal) {
    const store = await new TakeStore(id).load(signal);
    if (!isFinished(store.take)) throw new Refusal("take-not-ready",
      `${takeName(store.take)} cannot be compared yet: it has no files. Choose another take`);
    await store.loadTracks(signal);
    return store;
  }

  /** Moves B by the keys [ and ].
   * @param {number} direction @param {boolean} isFine */
  nudge(direction, isFine) {
    if (!this.#player.b) return;
    this.#linked.checked = false;
    this.#player.shift(Math.round((this.#player.b.shift + direction * NUDGE * (isFine ? 0.1 : 1)) * 1_000) / 1_000);
  }

  show = () => {
    const player = this.#player, isComparing = Boolean(player.b);
    this.#more.hidden = !isComparing;
    this.node.dataset.comparing = String(isComparing);
    this.#sides.querySelectorAll(".side-b").forEach((row) => row.toggleAttribute("hidden", !isComparing));
    for (const side of player.sides) {
      this.#radios[side.name].checked = side === player.heard;
      this.#names[side.name].textContent = `${takeName(side.store.take)} · ${moment(side.store.take.startedAt)}`;
    }
    if (!player.b) return;
    const difference = Math.abs(player.matching(player.a) - player.matching(player.b));
    const softer = player.matching(player.a) < 0 ? "A" : "B";
    const words = difference < 0.05 ? "they are already" : `${softer} is turned down by ${figure(difference)} dB`;
    this.#matchWords.textContent = player.isMatched ? words : "";
    this.#shift.parentElement?.toggleAttribute("hidden", this.#linked.checked);
    if (document.activeElement !== this.#shift) this.#shift.value = player.b.shift.toFixed(2);
  };

  /** "A at 0:12.3", announced by a screen reader after a switch. */
  get words() {
    const { heard } = this.#player;
    return `${heard.name.toUpperCase()}, ${takeName(heard.store.take)}, at ${fineClock(this.#player.time())}`;
  }

  close() {
    this.#player.removeEventListener("sides", this.show);
    this.#player.removeEventListener("mix", this.show);
  }
}
