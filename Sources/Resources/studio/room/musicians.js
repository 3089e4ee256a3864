// The members of the room: level, volume, connection, delay, and whether their sound is safe on disk.

import { button, element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { sentence } from "../base/refusal.js";
import { openMicrophoneDialog } from "./microphone-dialog.js";
import { Meter } from "./meter.js";
import { verdict } from "./quality.js";
import { MICROPHONE } from "./sound.js";

/** Milliseconds between two updates of the levels: painting takes processor time from the music. */
const FRAME = 100;
/** Milliseconds in which a second click confirms the removal of a member. */
const SURE = 4000;
const LINES = { good: "Good connection", fair: "Fair connection", poor: "Poor connection" };

const milliseconds = (value) => (value === null || value === undefined ? null : `${Math.round(value)} ms`);

export function openMusicians(place, studio) {
  const list = element("ul", { id: "members", className: "members" });
  const invite = button("Copy the link to this room", () => attempt(async () => {
    await navigator.clipboard.writeText(location.origin + location.pathname);
    setText(invite, "Link copied");
  }), { className: "quiet" });
  place.append(list, element("div", { className: "row" }, invite));
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
        list.append(row.element);
      }
      rows.get(id).draw(member);
    }
  };
  const measure = () => { for (const row of rows.values()) row.measure(); };
  const timer = setInterval(() => { for (const row of rows.values()) row.listen(); }, FRAME);
  studio.addEventListener("state", draw);
  studio.addEventListener("quality", measure);
  draw();
  return {
    close: () => {
      clearInterval(timer);
      studio.removeEventListener("state", draw);
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
  #light = "";

  constructor(id, member, studio) {
    this.#id = id;
    this.#studio = studio;
    this.#isMe = id === studio.participant;
    const name = member.participant.name, plays = member.role === "musician";
    const parts = this.#parts = {
      name: element("strong"), state: element("span", { className: "state" }),
      meter: plays ? new Meter(this.#isMe ? 2 : 1, `Level of ${name}`) : null,
      light: plays ? element("span", { className: "light", role: "status" }) : null,
      line: plays ? element("span", { className: "line" }) : null,
      trouble: plays ? element("p", { className: "trouble", role: "status" }) : null,
      delay: plays && !this.#isMe ? element("span", { className: "delay" }) : null,
      mute: plays ? button("", () => this.#mute(), { className: "quiet small mute" }) : null,
      remove: studio.mayModerate && !this.#isMe ? this.#remover(name) : null,
    };
    this.element = element("li", { className: "member", dataset: { id } },
      element("div", { className: "row between" }, parts.name, parts.state), parts.meter?.element,
      plays ? element("div", { className: "row controls" }, parts.mute, this.#isMe ? this.#ownControls() : this.#volume(name), parts.remove) : parts.remove,
      parts.trouble, plays ? element("p", { className: "facts" }, parts.light, parts.line, parts.delay) : null);
  }

  #volume(name) {
    const slider = element("input", {
      type: "range", min: "0", max: "100", value: String(100 * this.#studio.sound.volume(this.#id).volume), ariaLabel: `Volume of ${name}, for you alone`,
    });
    slider.addEventListener("input", () => this.#studio.sound.setVolume(this.#id, { volume: slider.value / 100 }));
    return slider;
  }

  /** Removes the member at a second click: nobody should lose a seat by a slip. */
  #remover(name) {
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

  #ownControls() {
    return button("Microphone …", () => openMicrophoneDialog(this.#studio), { className: "quiet small" });
  }

  #mute() {
    const studio = this.#studio, { sound } = studio;
    if (this.#isMe) studio.isMuted = !studio.isMuted;
    else sound.setVolume(this.#id, { isMuted: !sound.volume(this.#id).isMuted });
    this.draw(this.#studio.members.get(this.#id));
  }

  draw(member) {
    const parts = this.#parts, name = member.participant.name;
    setText(parts.name, name + (this.#isMe ? " (you)" : ""));
    const words = [
      member.role === "listener" ? "listening" : member.part, member.role === "musician" && !member.consent ? "not recorded" : null,
      member.connected ? null : "away",
    ];
    setText(parts.state, words.filter(Boolean).join(" · "));
    this.element.dataset.away = !member.connected;
    if (!parts.mute) return;
    const isMuted = this.#isMe ? this.#studio.isMuted : this.#studio.sound?.volume(this.#id).isMuted;
    setText(parts.mute, isMuted ? "Unmute" : "Mute");
    parts.mute.ariaLabel = `${isMuted ? "Unmute" : "Mute"} ${this.#isMe ? "your microphone for the others and the recording" : name}`;
    parts.mute.setAttribute("aria-pressed", String(Boolean(isMuted)));
    this.element.dataset.muted = Boolean(isMuted);
    this.#drawLight(member);
  }

  /** Safe means that the server confirmed it a moment ago and receives sound from this musician. */
  #drawLight(member) {
    const { take, safety, phase } = this.#studio;
    const state = !member.consent ? ["none", "Not recorded"]
      : !take ? ["none", "No take is rolling"]
      : phase === "reconnecting" ? ["wait", "Unknown: no link to the server"]
      : !member.publishing ? ["wait", "No sound arrives"]
      : safety.isSafe(performance.now() / 1000) ? ["safe", "Safe on disk"]
      : safety.behind(performance.now() / 1000) === null ? ["wait", "Waiting for the disk"]
      : ["late", "Not on disk yet"];
    if (this.#light === state.join()) return;
    this.#light = state.join();
    this.#parts.light.dataset.state = state[0];
    setText(this.#parts.light, state[1]);
  }

  listen() {
    const { meter } = this.#parts;
    if (!meter) return;
    const studio = this.#studio, member = studio.members.get(this.#id);
    meter.show(this.#isMe && studio.microphone ? studio.microphone.levels.peak : [studio.level(this.#id)]);
    if (member) this.#drawLight(member);
  }

  measure() {
    const { line, delay, trouble } = this.#parts;
    if (!line) return;
    const quality = this.#studio.sound?.quality.get(this.#isMe ? MICROPHONE : this.#id);
    const judged = quality ? verdict(quality) : null;
    line.dataset.verdict = judged ?? "unknown";
    const facts = quality ? [
      ["round trip", milliseconds(quality.roundTrip)], ["loss", quality.loss === null ? null : `${(100 * quality.loss).toFixed(1)} %`],
      ["jitter", milliseconds(quality.jitter)], ["buffer", milliseconds(quality.buffer)],
    ].filter(([, value]) => value !== null).map((pair) => pair.join(" ")) : [];
    setText(line, judged ? `${LINES[judged]}: ${facts.join(", ")}` : "");
    const found = this.#studio.trouble(this.#id);
    if (found) trouble.dataset.id = found.id;
    setText(trouble, found ? sentence(found.text) : "");
    if (!delay) return;
    const { toUs, toThem } = this.#studio.delay(this.#id), name = this.#studio.members.get(this.#id)?.participant.name;
    setText(delay, [toUs === null ? null : `You hear ${name} ${milliseconds(toUs)} late`, toThem === null ? null : `${name} hears you ${milliseconds(toThem)} late`]
      .filter(Boolean).join(", "));
  }
}
