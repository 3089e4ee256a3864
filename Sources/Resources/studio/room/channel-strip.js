// A musician as a channel strip: name, delay, a tall meter, and for everybody but oneself a fader, pan and mute for these ears
// alone. What else is known of the musician, and what a moderator may do, is behind "…".

import { button, element, freshID, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { readingFigures, SUFFERING, verdictWords } from "../base/quality-words.js";
import { sentence } from "../base/refusal.js";
import { pairDelay, PLAYABLE, TIGHT } from "../playing/delay.js";
import { FADER } from "../playing/ears.js";
import { truthOf } from "../playing/facts.js";
import { panWords, slider } from "../takes/strip.js";
import { openMicrophoneDialog } from "./microphone-dialog.js";
import { Meter } from "./meter.js";

/** Milliseconds in which a second click confirms the removal of a member. */
const SURE = 4000;
/** Which way a musician of a mesh room is heard. */
const WAYS = { direct: "direct", routed: "through Jamjar", none: null };
const LIMITS = `tight: below ${TIGHT} ms, playable: below ${PLAYABLE} ms, late: beyond`;
const FOR_ME = "For your ears alone: the recording and what the others hear never change.";

/** @param {number | null | undefined} value */
const milliseconds = (value) => (value === null || value === undefined ? null : `${Math.round(value)} ms`);

/** @param {number} gain */
const gainWords = (gain) => (gain <= FADER.min ? "off" : `${gain > 0 ? "+" : ""}${gain} dB`.replace("-", "−"));

export class ChannelStrip {
  element;
  /** What everybody has to read: troubles and advice. */
  remarks = element("div", {});
  panel;
  #id;
  #studio;
  #isMe;
  #parts;
  /** @type {string | null} */
  #light = null;
  /** Readings of too loud an input that have been seen. */
  #seen = 0;

  /** `open(strip)` shows or hides its panel.
   * @param {string} id @param {Member} member @param {Studio} studio @param {(strip: ChannelStrip) => void} open */
  constructor(id, member, studio, open) {
    const plays = member.role === "musician", { name } = member.participant, panelID = freshID("more");
    this.#id = id;
    this.#studio = studio;
    this.#isMe = id === studio.participant;
    const isOther = plays && !this.#isMe;
    const parts = this.#parts = {
      name: element("strong"), part: element("span", { className: "part" }), state: element("span", { className: "state" }),
      meter: plays ? new Meter(this.#isMe ? 2 : 1, `Level of ${name}`) : null,
      clip: plays ? button("Clip", () => this.#clear(), { className: "clip", disabled: true }) : null,
      light: element("span", { className: "light" }), line: element("p", { className: "line" }),
      trouble: element("p", { className: "trouble", role: "status" }),
      advice: element("p", { className: "advice", role: "status" }),
      figure: isOther ? element("span", { className: "delay", title: LIMITS }) : null,
      delay: isOther ? element("p", { className: "ways" }) : null,
      fader: isOther ? this.#slider("gain", `Volume of ${name}, for you alone`, { ...FADER, step: 1, words: gainWords, className: "fader" }) : null,
      pan: isOther ? this.#slider("pan", `Pan of ${name}, for you alone`, { min: -1, max: 1, step: 0.05, words: panWords, className: "centred" }) : null,
      mute: plays ? button("", () => this.#mute(), { className: "mute quiet small" }) : null,
      // Other musicians only: my own button says the same.
      silence: isOther && studio.mayModerate ? button("", () => this.#silence(), { className: "quiet small silence" }) : null,
      remove: studio.mayModerate && !this.#isMe ? this.#remover(name) : null,
      more: plays ? button("…", () => open(this), { className: "quiet small more", ariaLabel: `More about ${name}`, "aria-expanded": "false", "aria-controls": panelID }) : null,
    };
    parts.meter?.element.classList.add("tall");
    this.remarks.append(parts.trouble, parts.advice);
    this.panel = element("section", { id: panelID, className: "panel", hidden: true, "aria-label": `About ${name}` },
      element("h3", { textContent: name }), parts.line, parts.delay, element("div", { className: "row" }, parts.silence, plays ? parts.remove : null));
    const who = element("div", { className: "who" }, parts.name, " ", parts.part);
    this.element = element("li", { className: "member", dataset: { id, role: member.role } }, ...(plays ? [
      who, element("div", { className: "standing" }, parts.figure, parts.state),
      element("div", { className: "desk" }, element("div", { className: "level" }, parts.clip, parts.meter?.element), parts.fader?.node),
      element("div", { className: "controls" }, parts.pan?.node, parts.mute,
        this.#isMe ? button("Microphone …", () => attempt(() => openMicrophoneDialog(studio)), { className: "quiet small" }) : null),
      parts.light, parts.more,
    ] : [who, parts.state, parts.remove]));
  }

  /** A slider of what is heard of the musician; a double click and the key 0 set it to the middle.
   * @param {"gain" | "pan"} name @param {string} label
   * @param {{ min: number, max: number, step: number, words(value: number): string, className: string }} options */
  #slider(name, label, options) {
    const ears = this.#studio.sound?.ears, value = ears?.of(this.#id)[name] ?? 0;
    // A step is never quite nought in binary.
    const onInput = (/** @type {number} */ value) => this.#studio.sound?.ears.set(this.#id, { [name]: Math.abs(value) < 0.01 ? 0 : value });
    const made = slider(label, { ...options, value, usual: 0, onInput });
    // The label around it also holds the value.
    Object.assign(made.input, { ariaLabel: label, title: FOR_ME });
    made.input.addEventListener("keydown", (event) => {
      if (event.key !== "0" || event.ctrlKey || event.metaKey || event.altKey) return;
      made.show(0);
      onInput(0);
      event.preventDefault();
    });
    return made;
  }

  get isUnfolded() { return !this.panel.hidden; }

  /** @param {boolean} isUnfolded */
  unfold(isUnfolded) {
    this.panel.hidden = !isUnfolded;
    this.#parts.more?.setAttribute("aria-expanded", String(isUnfolded));
  }

  /** The musician has left; a fader that is held just then moves nothing any more. */
  remove() { for (const node of [this.element, this.remarks, this.panel]) node.remove(); }

  /** Removes the member at a second click: nobody should lose a seat by a slip.
   * @param {string} name */
  #remover(name) {
    /** @type {ReturnType<typeof setTimeout> | null} */
    let timer = null;
    const label = `Remove ${name} from the room`;
    const calm = () => { timer = null; setText(remove, "Remove"); remove.ariaLabel = label; };
    const remove = button("Remove", () => {
      if (timer === null) {
        timer = setTimeout(calm, SURE);
        setText(remove, "Really remove?");
        remove.ariaLabel = `Really remove ${name} from the room?`;
        return;
      }
      clearTimeout(timer);
      calm();
      attempt(() => this.#studio.request("kick", { participant: this.#id }));
    }, { className: "quiet small remove", ariaLabel: label });
    return remove;
  }

  /** Mutes the musician for everybody, or lifts that. */
  #silence() {
    const muted = !this.#studio.members.get(this.#id)?.muted;
    attempt(() => this.#studio.request("mute", { participant: this.#id, muted }));
  }

  #mute() {
    const studio = this.#studio, ears = studio.sound?.ears;
    if (this.#isMe) studio.isMuted = !studio.isMuted;
    else ears?.set(this.#id, { isMuted: !ears.of(this.#id).isMuted });
    const member = studio.members.get(this.#id);
    if (member) this.draw(member);
  }

  /** @param {Member} member */
  draw(member) {
    const parts = this.#parts, name = member.participant.name;
    setText(parts.name, name + (this.#isMe ? " (you)" : ""));
    // Where it ends in an ellipsis.
    parts.name.title = name;
    setText(parts.part, member.role === "musician" ? member.part ?? "" : "");
    parts.part.title = parts.part.textContent ?? "";
    const words = [
      member.role === "listener" ? "listening" : null, member.role === "musician" && !member.consent ? "not recorded" : null,
      member.connected ? null : "away", member.muted ? "muted by a moderator" : null,
      !this.#isMe && !member.muted && member.sound === "muted" ? "muted" : null, member.sound === "talkback" ? "talks" : null,
    ];
    setText(parts.state, words.filter(Boolean).join(" · "));
    this.element.dataset.away = String(!member.connected);
    if (parts.silence) {
      setText(parts.silence, member.muted ? "Unmute for all" : "Mute for all");
      parts.silence.ariaLabel = member.muted ? `Let everybody hear ${name} again` : `Mute ${name} for everybody and the recording`;
    }
    if (!parts.mute) return;
    const isMuted = Boolean(this.#isMe ? this.#studio.isMuted : this.#studio.sound?.ears.of(this.#id).isMuted);
    setText(parts.mute, !this.#isMe ? "M" : isMuted ? "Unmute" : "Mute");
    parts.mute.ariaLabel = `${isMuted ? "Unmute" : "Mute"} ${this.#isMe ? "your microphone for the others and the recording" : `${name}, for you alone`}`;
    parts.mute.title = this.#isMe ? "" : FOR_ME;
    parts.mute.setAttribute("aria-pressed", String(isMuted));
    this.element.dataset.muted = String(isMuted || member.muted === true || (!this.#isMe && member.sound === "muted"));
    this.#drawTruth();
  }

  /** The light, which is lit only for what the server has confirmed a moment ago. */
  #drawTruth() {
    const light = truthOf(this.#studio, this.#id)?.light;
    if (!light || this.#light === light.state + light.text) return;
    this.#light = light.state + light.text;
    this.#parts.light.dataset.state = light.state;
    setText(this.#parts.light, light.text);
  }

  listen() {
    const { meter, clip } = this.#parts;
    if (!meter || !clip) return;
    const studio = this.#studio;
    meter.show(this.#isMe && studio.microphone ? studio.microphone.levels.peak : [studio.level(this.#id)]);
    // Another microphone counts anew.
    const count = this.#clippings;
    this.#seen = Math.min(this.#seen, count);
    if (clip.disabled === count > this.#seen) {
      clip.disabled = count <= this.#seen;
      const name = studio.members.get(this.#id)?.participant.name;
      clip.ariaLabel = clip.disabled ? null : `${this.#isMe ? "Your input" : `The input of ${name}`} was too loud. Put the lamp out`;
    }
    this.#drawTruth();
  }

  /** How often the input was too loud: told by the page that it belongs to. */
  get #clippings() {
    const count = this.#isMe ? this.#studio.microphone?.clippings : this.#studio.delays?.slots.get(this.#id)?.clippings;
    return Number.isFinite(count) ? count : 0;
  }

  /** Puts the clip lamp out, until it happens again. */
  #clear() {
    this.#seen = this.#clippings;
    this.listen();
    this.#parts.more?.focus();
  }

  measure() {
    const { line, delay, figure, trouble, meter } = this.#parts;
    if (!meter) return;
    // What the service says of the musician's connection: the same for everybody, and what the take will say.
    const reading = this.#studio.members.get(this.#id)?.quality;
    line.dataset.verdict = !reading ? "unknown" : reading.level < SUFFERING ? "good" : reading.level > SUFFERING ? "poor" : "fair";
    const buffer = milliseconds(this.#isMe ? null : this.#studio.sound?.quality.get(this.#id)?.buffer);
    setText(line, reading ? [`Connection ${verdictWords(reading)}`, readingFigures(reading), buffer ? `buffer here ${buffer}` : null]
      .filter(Boolean).join(", ") : "Connection: not measured yet");
    const found = this.#studio.trouble(this.#id);
    if (found) trouble.dataset.id = found.id;
    setText(trouble, found ? sentence(found.text) : "");
    if (!delay || !figure) return;
    const ways = this.#studio.delay(this.#id), pair = pairDelay(ways), name = this.#studio.members.get(this.#id)?.participant.name;
    figure.dataset.word = pair?.word ?? "unknown";
    const route = this.#studio.sound?.route(this.#id) ?? "none";
    const way = this.#studio.policy?.topology === "mesh" ? WAYS[route] : null;
    setText(figure, [pair ? `${pair.milliseconds} ms` : null, pair?.word, way].filter(Boolean).join(" · "));
    figure.dataset.route = route;
    const advice = this.#studio.advice(this.#id);
    setText(this.#parts.advice, advice ? sentence(advice) : "");
    figure.ariaLabel = pair ? `Delay with ${name}: ${pair.milliseconds} milliseconds, ${[pair.word, way].filter(Boolean).join(", ")}` : null;
    setText(delay, [
      ways.toUs === null ? null : `You hear ${name} ${milliseconds(ways.toUs)} late`, ways.toThem === null ? null : `${name} hears you ${milliseconds(ways.toThem)} late`,
      pair ? `as if ${pair.metres} m apart (${LIMITS})` : null,
    ].filter(Boolean).join(", "));
  }
}
