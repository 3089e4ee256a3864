// The members of the room: big meter, waveform, what is recorded, delay and volume.

import { button, element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { readingFigures, SUFFERING, verdictWords } from "../base/quality-words.js";
import { sentence } from "../base/refusal.js";
import { pairDelay, PLAYABLE, TIGHT } from "../playing/delay.js";
import { truthOf } from "../playing/facts.js";
import { Waveform } from "../playing/waveform.js";
import { inviting } from "./invite.js";
import { openMicrophoneDialog } from "./microphone-dialog.js";
import { Meter } from "./meter.js";

/** Milliseconds between two updates of the levels: painting takes processor time from the music. */
const FRAME = 100;
/** Milliseconds in which a second click confirms the removal of a member. */
const SURE = 4000;
/** Which way a musician of a mesh room is heard. */
const WAYS = { direct: "direct", routed: "through Jamjar", none: null };
const LIMITS = `tight: below ${TIGHT} ms, playable: below ${PLAYABLE} ms, late: beyond`;

/** @param {number | null | undefined} value */
const milliseconds = (value) => (value === null || value === undefined ? null : `${Math.round(value)} ms`);

/** @param {HTMLElement} place @param {Studio} studio @param {HTMLElement} tuner what it shows, below the own meter */
export function openMusicians(place, studio, tuner) {
  const list = element("ul", { id: "members", className: "members" });
  place.append(list, inviting(studio));
  const rows = new Map();

  const draw = () => {
    for (const [id, row] of rows) {
      if (studio.members.has(id)) continue;
      row.element.remove();
      rows.delete(id);
    }
    for (const [id, member] of studio.members) {
      if (!rows.has(id)) {
        const row = new MusicianRow(id, member, studio);
        rows.set(id, row);
        if (id === studio.participant) row.hold(tuner);
        list.append(row.element);
      }
      rows.get(id).draw(member);
    }
  };
  const measure = () => { for (const row of rows.values()) row.measure(); };
  const timer = setInterval(() => { for (const row of rows.values()) row.listen(); }, FRAME);
  studio.addEventListener("state", draw);
  studio.addEventListener("measured", measure);
  studio.addEventListener("quality", measure);
  draw();
  measure();
  return {
    close: () => {
      clearInterval(timer);
      studio.removeEventListener("state", draw);
      studio.removeEventListener("measured", measure);
      studio.removeEventListener("quality", measure);
    },
  };
}

class MusicianRow {
  element;
  #id;
  #studio;
  #isMe;
  #parts;
  /** @type {string | null} */
  #light = null;

  /** @param {string} id @param {Member} member @param {Studio} studio */
  constructor(id, member, studio) {
    const plays = member.role === "musician", { name } = member.participant;
    this.#id = id;
    this.#studio = studio;
    this.#isMe = id === studio.participant;
    const parts = this.#parts = {
      name: element("strong"), part: element("span", { className: "part" }), state: element("span", { className: "state" }),
      meter: plays ? new Meter(this.#isMe ? 2 : 1, `Level of ${name}`) : null, wave: plays ? new Waveform() : null,
      light: element("span", { className: "light" }), line: element("p", { className: "line" }),
      trouble: element("p", { className: "trouble", role: "status" }),
      advice: element("p", { className: "advice", role: "status" }),
      figure: this.#isMe ? null : element("span", { className: "delay", title: LIMITS }),
      delay: this.#isMe ? null : element("p", { className: "ways" }),
      mute: plays ? button("", () => this.#mute(), { className: "mute quiet small" }) : null,
      // Other musicians only: my own button says the same.
      silence: plays && studio.mayModerate && !this.#isMe ? button("", () => this.#silence(), { className: "quiet small silence" }) : null,
      remove: studio.mayModerate && !this.#isMe ? this.#remover(name) : null,
    };
    const details = plays ? element("details", { className: "facts" }, element("summary", { textContent: "Details" }), parts.line, parts.delay,
      element("div", { className: "row" }, parts.silence, parts.remove)) : null;
    this.element = element("li", { className: "member", dataset: { id } },
      element("div", { className: "row between heading" }, element("span", { className: "who" }, parts.name, " ", parts.part), parts.state, plays ? parts.figure : null),
      parts.meter?.element, parts.wave?.element,
      plays ? element("div", { className: "row controls" }, parts.light, parts.mute, this.#isMe ? this.#ownControls() : this.#volume(name)) : parts.remove,
      parts.trouble, parts.advice, details);
  }

  /** Puts something of the musician's own below their meter.
   * @param {HTMLElement} node */
  hold(node) { this.#parts.meter?.element.after(node); }

  /** @param {string} name */
  #volume(name) {
    const slider = element("input", {
      type: "range", min: "0", max: "100", value: String(100 * (this.#studio.sound?.volume(this.#id).volume ?? 1)), ariaLabel: `Volume of ${name}, for you alone`,
    });
    slider.addEventListener("input", () => this.#studio.sound?.setVolume(this.#id, { volume: Number(slider.value) / 100 }));
    return slider;
  }

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

  #ownControls() {
    return button("Microphone …", () => attempt(() => openMicrophoneDialog(this.#studio)), { className: "quiet small" });
  }

  #mute() {
    const studio = this.#studio, { sound } = studio;
    if (this.#isMe) studio.isMuted = !studio.isMuted;
    else sound?.setVolume(this.#id, { isMuted: !sound.volume(this.#id).isMuted });
    const member = studio.members.get(this.#id);
    if (member) this.draw(member);
  }

  /** @param {Member} member */
  draw(member) {
    const parts = this.#parts, name = member.participant.name;
    setText(parts.name, name + (this.#isMe ? " (you)" : ""));
    setText(parts.part, member.role === "musician" ? member.part ?? "" : "");
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
    const isMuted = this.#isMe ? this.#studio.isMuted : this.#studio.sound?.volume(this.#id).isMuted;
    setText(parts.mute, isMuted ? "Unmute" : "Mute");
    parts.mute.ariaLabel = `${isMuted ? "Unmute" : "Mute"} ${this.#isMe ? "your microphone for the others and the recording" : `${name}, for you alone`}`;
    parts.mute.setAttribute("aria-pressed", String(Boolean(isMuted)));
    this.element.dataset.muted = String(Boolean(isMuted));
    this.#drawTruth();
  }

  /** The light, which is lit only for what the server has confirmed a moment ago. */
  #drawTruth() {
    const truth = truthOf(this.#studio, this.#id), light = truth?.light;
    if (!light) return truth;
    if (this.#light !== light.state + light.text) {
      this.#light = light.state + light.text;
      this.#parts.light.dataset.state = light.state;
      setText(this.#parts.light, light.text);
    }
    return truth;
  }

  listen() {
    const { meter, wave } = this.#parts;
    if (!meter) return;
    const studio = this.#studio, levels = this.#isMe && studio.microphone ? studio.microphone.levels.peak : [studio.level(this.#id)];
    meter.show(levels);
    wave?.add(Math.max(...levels), this.#drawTruth()?.server);
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
    setText(figure, [pair ? `${pair.milliseconds} ms ${pair.word}` : null, way].filter(Boolean).join(" · "));
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
