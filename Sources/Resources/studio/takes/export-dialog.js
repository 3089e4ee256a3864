// Exports a mix, stems or a project (docs/events.md, section 4): options, progress, download.

import { button, element, freshID, moment } from "../base/dom.js";
import { path, read, send } from "../base/api.js";
import { attempt } from "../base/notices.js";
import { sentence } from "../base/refusal.js";
import { figure, fineClock } from "./take-words.js";

const KINDS = [
  ["mix", "A mix", "one stereo file"], ["stems", "Stems", "a file for each track"],
    ["reaper", "Reaper project", "with stems"], ["ardour", "Ardour session", "with stems"],
  ["audacity", "Audacity", "stems with labels"], ["dawproject", "DAWproject", "Bitwig, Studio One, Cubase"],
    ["archive", "Archive", "the take as it is"],
];
const FORMATS = [
  ["flac24", "FLAC, 24 bit"], ["flac16", "FLAC, 16 bit"], ["wav24", "WAV, 24 bit"], ["wav16", "WAV, 16 bit"],
    ["wav32f", "WAV, 32 bit float"],
  ["bwf24", "Broadcast WAV, 24 bit"], ["opus", "Opus, 160 kbit/s"], ["mp3", "MP3, V0"],
];
const RATES = [["48000", "48 kHz"], ["44100", "44.1 kHz"], ["88200", "88.2 kHz"], ["96000", "96 kHz"]];
const LOUDNESS = [["", "As it is"], ["-14", "−14 LUFS (streaming)"], ["-16", "−16 LUFS (podcasts)"],
  ["-18", "−18 LUFS"], ["-23", "−23 LUFS (broadcast, EBU R 128)"], ["own", "Another …"]];
const STATES = { queued: "is waiting for its turn", running: "is being made", done: "is ready",
  failed: "could not be made", cancelled: "was cancelled" };

/** @param {number} bytes */
const size = (bytes) => (bytes >= 1e6 ? `${figure(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e3)} kB`);

/** @param {string} label @param {string[][]} options @param {Properties<"select">} [properties] */
function select(label, options, properties = {}) {
  const field = element("select", properties,
    ...options.map(([value, text]) => element("option", { value, textContent: text })));
  return { field, node: element("label", {}, label, field) };
}

/** @param {string} label @param {Properties<"input">} properties */
function number(label, properties) {
  const field = element("input", { type: "number", ...properties });
  return { field, node: element("label", {}, label, field) };
}

/** @param {string} label @param {string} hint */
function check(label, hint, checked = false) {
  const field = element("input", { type: "checkbox", checked });
  return { field, node: element("label", { className: "choice" }, field,
    element("span", {}, label, hint ? element("small", { textContent: ` ${hint}` }) : null)) };
}

/** Why an export was not made.
 * @param {Export} each */
const reasonOf = ({ problem }) => (typeof problem === "string" ? problem : problem?.detail) ?? "It could not be made";

export class ExportDialog {
  node;
  #player;
  #side;
  #list = element("ul", { className: "exports", "aria-live": "polite" });
  #problem = element("p", { className: "problem", role: "alert", hidden: true });
  /** @type {Map<string, Export>} */
  #exports = new Map();
  #form;
  format = select("Format", FORMATS);
  rate = select("Sample rate", RATES);
  mix = check("As set in the player", "gain, pan, mute and solo of each track", true);
  loudness = select("Loudness", LOUDNESS);
  own = number("LUFS", { min: -70, max: -5, step: 0.5, value: -16 });
  range = check("Only the loop", "the part selected in the player");
  lossless = check("Lossless", "the musicians' own copies, if there are any", true);
  fadeIn = number("Fade in, s", { min: 0, max: 60, step: 0.1, value: 0 });
  fadeOut = number("Fade out, s", { min: 0, max: 60, step: 0.1, value: 0 });
  /** @type {{ field: HTMLInputElement, node: HTMLElement }[]} */
  kinds;
  perspective;

  /** @param {Player} player @param {Side} side */
  constructor(player, side) {
    this.#player = player;
    this.#side = side;
    const id = freshID("export");
    this.node = element("dialog", { className: "card export", "aria-labelledby": id },
      this.#form = element("form", { method: "dialog" }));
    const { tracks } = side, kinds = freshID("kind");
    this.kinds = KINDS.map(([value, text, hint], index) => {
      const field = element("input", { type: "radio", name: kinds, value, checked: index === 0,
        autofocus: index === 0, onchange: () => this.#adapt() });
      return { field, node: element("label", { className: "kind" }, field,
        element("span", {}, element("strong", { textContent: text }), element("small", { textContent: hint }))) };
    });
    this.perspective = select("As heard by", [["", "all on one time line"],
      ...tracks.map((track) => [`perspective/${track.number}`, `${track.participant.name}, while they played`]),
      ...tracks.map((track) => [`follow/${track.number}`, `all who followed ${track.participant.name}`])]);
    this.#build(id);
    // A click on the backdrop has the dialog itself as its target.
    this.node.addEventListener("click", (event) => { if (event.target === this.node) this.node.close(); });
  }

  /** @param {string} id */
  #build(id) {
    this.format.field.addEventListener("change", () => this.#adapt());
    this.loudness.field.addEventListener("change", () => this.#adapt());
    this.#form.append(
      element("div", { className: "card-head" }, element("h2", { id, textContent: "Export" }),
        button("×", () => this.node.close(), { className: "toggle bare", "aria-label": "Close" })),
      element("fieldset", { className: "kinds" },
        element("legend", { className: "hidden", textContent: "What to make" }), ...this.kinds.map(({ node }) => node)),
      element("div", { className: "fields" }, this.format.node, this.rate.node, this.loudness.node, this.own.node,
        this.perspective.node, this.fadeIn.node, this.fadeOut.node),
      element("div", { className: "checks" }, this.mix.node, this.range.node, this.lossless.node),
      this.#problem,
      element("div", { className: "row" }, element("button", { type: "submit", textContent: "Make it" })),
      element("h3", { textContent: "Exports so far" }), this.#list);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
  }

  async open() {
    this.#problem.hidden = true;
    const loop = this.#player.loop(this.#side);
    this.range.field.checked = false;
    const hint = this.range.node.querySelector("small");
    if (loop && hint) hint.textContent = ` ${fineClock(loop.from)} to ${fineClock(loop.to)}`;
    this.#adapt();
    this.node.showModal();
    await attempt(() => this.refresh());
  }

  /** Lists the earlier exports of this take. */
  async refresh() {
    /** @type {Page<Export>} */
    const { items } = await read(`${path("exports")}?take=${this.#side.store.id}`);
    this.#exports = new Map(items.map((each) => [each.id, each]));
    this.#show();
  }

  /** Takes in an event of the stream.
   * @param {Export} told */
  hear(told) {
    if (told.take !== this.#side.store.id) return;
    this.#exports.set(told.id, told);
    this.#show();
  }

  get #kind() { return this.kinds.find(({ field }) => field.checked)?.field.value ?? "mix"; }

  /** Hides options that do not apply to the chosen kind or format. */
  #adapt() {
    const isMix = this.#kind === "mix", isArchive = this.#kind === "archive", format = this.format.field.value;
    for (const each of [this.format, this.rate, this.perspective]) each.node.hidden = isArchive;
    for (const each of [this.loudness, this.fadeIn, this.fadeOut]) each.node.hidden = !isMix;
    this.mix.node.hidden = isArchive;
    this.range.node.hidden = isArchive || !this.#player.loop(this.#side);
    this.lossless.node.hidden = isArchive || !this.#side.hasLossless;
    this.own.node.hidden = !isMix || this.loudness.field.value !== "own";
    const most = format === "opus" || format === "mp3" ? 48_000 : Infinity;
    for (const option of this.rate.field.options) {
      option.disabled = Number(option.value) > most || (format === "opus" && option.value !== "48000");
    }
    if (this.rate.field.selectedOptions[0]?.disabled) this.rate.field.value = "48000";
  }

  /** The request body. */
  get wish() {
    const kind = this.#kind;
    if (kind === "archive") return { kind };
    /** @type {Record<string, unknown>} */
    const wish = { kind, format: this.format.field.value, rate: Number(this.rate.field.value) };
    /** @type {Record<string, unknown>} */
    const mix = this.mix.field.checked ? this.#side.mixing.exported(this.#side.tracks) : {};
    if (kind === "mix") {
      const { value } = this.loudness.field;
      if (value) mix.normalization = { loudness: Number(value === "own" ? this.own.field.value : value) };
      const [fadeIn, fadeOut] = [this.fadeIn, this.fadeOut].map(({ field }) => Number(field.value));
      if (fadeIn > 0) mix.fadeIn = fadeIn;
      if (fadeOut > 0) mix.fadeOut = fadeOut;
    }
    const loop = this.#player.loop(this.#side);
    if (this.range.field.checked && !this.range.node.hidden && loop) {
      Object.assign(mix, { from: Math.max(0, loop.from), to: Math.min(loop.to, this.#side.store.take.duration ?? loop.to) });
    }
    if (Object.keys(mix).length) wish.mix = mix;
    const [name, who] = this.perspective.field.value.split("/");
    if (name) wish[name] = who;
    if (this.#side.hasLossless && this.lossless.field.checked) wish.source = "lossless";
    return wish;
  }

  async #make() {
    this.#problem.hidden = true;
    try {
      const made = await send("POST", this.#side.store.address("exports"), this.wish);
      this.#exports.set(made.id, made);
      this.#show();
      this.#list.querySelector(`[data-export="${made.id}"]`)?.scrollIntoView({ block: "nearest" });
    } catch (/** @type {any} */ error) {
      this.#problem.textContent = sentence(error.message);
      this.#problem.hidden = false;
    }
  }

  /** @param {Export} each */
  async #remove(each) {
    await attempt(() => send("DELETE", path("exports", each.id)));
    await attempt(() => this.refresh());
  }

  #show() {
    const all = [...this.#exports.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    this.#list.replaceChildren(...(all.length ? all.map((each) => this.#row(each)) : [element("li",
      { className: "empty", textContent: "Nothing yet." })]));
  }

  /** @param {Export} each */
  #row(each) {
    const isUnderway = each.state === "queued" || each.state === "running";
    const words = each.state === "failed" ? sentence(reasonOf(each)) :
      each.state === "done" ? [moment(each.finishedAt ?? each.createdAt),
        size(each.size ?? 0)].join(", ") : STATES[each.state];
    return element("li", { dataset: { export: each.id, state: each.state } },
      element("span", { className: "export-name", textContent: each.name }), element("small", { textContent: words }),
      isUnderway ? element("progress", { max: 1, value: each.progress ?? 0,
        "aria-label": `Progress of ${each.name}` }) : null,
      element("span", { className: "export-does" },
        each.state === "done" ? element("a",
          { className: "button small", href: each.file ?? path("exports", each.id, "file"), download: "",
          textContent: "Download" }) : null,
        button(isUnderway ? "Cancel" : "Remove", () => this.#remove(each), { className: "quiet small" })));
  }
}

