// Before the room: name and instrument, choice and check of the microphone, consent to recording.

import { accessForm, hasLapsed, readStanding } from "../base/access.js";
import { read } from "../base/api.js";
import { element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { attempt, showProblem } from "../base/notices.js";
import { Refusal, sentence } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { outputChoice } from "../playing/output.js";
import { soundCheck } from "../playing/sound-check.js";
import { Tuner } from "../tuner/tuner.js";
import { Meter } from "./meter.js";
import { CHANNELS, inputs, Microphone } from "./microphone.js";
import { tonightLink } from "./tonight.js";
import { Listening, warnings } from "./warnings.js";

/** @typedef {import("../base/access.js").Standing} Standing */

const INSTRUMENTS = [
  "voice", "acoustic guitar", "electric guitar", "bass", "double bass", "piano", "keyboard", "drums", "percussion", "violin",
  "viola", "cello", "flute", "clarinet", "saxophone", "trumpet", "trombone", "accordion", "harmonica",
];
const seconds = () => performance.now() / 1000;

/** Requirements on the browser, each with the sentence shown when it is not met.
 * @type {[() => unknown, string][]} */
const NEEDS = [
  [() => window.RTCPeerConnection, "This browser cannot make calls (WebRTC). Use a recent Chromium, Firefox or Safari"],
  [() => window.AudioWorkletNode || !window.isSecureContext, "This browser is too old for this studio. Use a recent Chromium, Firefox or Safari"],
  [() => window.isSecureContext, "Browsers allow a microphone only on secure pages: open this page over https:// or on localhost. You can still listen"],
];

/** @param {HTMLElement} place @param {string} room @param {ViewContext} context */
export async function openGreenRoom(place, room, { query }) {
  const standing = await readStanding();
  if (hasLapsed(standing)) {
    place.append(accessForm("", () => location.reload()));
    return { close: () => {} };
  }
  const view = new GreenRoom(place, room, query, standing);
  await view.begin();
  return { close: () => view.close() };
}

/** @param {string} id @param {Properties<"input">} properties */
const input = (id, properties) => element("input", { id, name: id, ...properties });

/** @param {string} id @param {Record<string, string>} options */
const select = (id, options) => element("select", { id }, Object.entries(options).map(([value, textContent]) => element("option", { value, textContent })));

/** @param {Child} words @param {HTMLElement} field */
const labelled = (words, field) => element("label", { htmlFor: field.id }, words, field);

/** @param {HTMLElement} field @param {string} label @param {string} hint */
const choice = (field, label, hint) => element("label", { className: "choice" }, field,
  element("span", {}, label, " ", element("small", { textContent: hint })));

/** A name as the service compares it with that of an invitation: without case and width.
 * @param {string} name */
const folded = (name) => name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");

class GreenRoom {
  #place;
  #room;
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {Listening | null} */
  #listening = null;
  #opening = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {string[]} */
  #outputs = [];
  #isOver = false;
  #parts = element("datalist", { id: "instruments" }, INSTRUMENTS.map((value) => element("option", { value })));
  /** The fields, by their identifiers. */
  #name = input("name", { maxLength: 64, required: true, autocomplete: "nickname", placeholder: "Ada" });
  #part = input("part", { maxLength: 64, autocomplete: "off", placeholder: "guitar" });
  #consent = input("consent", { type: "checkbox", checked: memory.read("consent", true) });
  #backup = input("backup", { type: "checkbox", checked: memory.read("backup", true) });
  #listener = input("listener", { type: "checkbox", checked: memory.read("listener", false) });
  #device = select("device", { "": "The system's choice" });
  #channels = select("channels", CHANNELS);
  #enter = element("button", { type: "submit", id: "enter", textContent: "Join" });
  #meter = new Meter(2, "Level of your microphone");
  #who = element("p", { className: "lead", id: "who", textContent: " " });
  #list = element("ul", { className: "warnings" });
  #sound = element("fieldset", { className: "sound-check" });
  #check = soundCheck(() => ({ microphone: this.#microphone, isSilent: false }));
  #tuner = new Tuner(() => this.#microphone);
  #output = outputChoice("output");

  /** @param {HTMLElement} place @param {string} room @param {URLSearchParams} query
   * @param {Standing | null} standing */
  constructor(place, room, query, standing) {
    this.#place = place;
    this.#room = room;
    const invitation = standing?.state === "valid" && (standing.room ?? room) === room ? standing : null;
    this.#draw(query, invitation);
  }

  async begin() {
    this.#describe();
    for (const [isThere, problem] of NEEDS) {
      if (isThere()) continue;
      // Neither playing nor listening works without; a page that is not secure can at least listen.
      if (isThere !== NEEDS[NEEDS.length - 1][0]) throw new Refusal("unsupported-browser", problem);
      this.#place.prepend(element("p", { className: "problem", role: "alert", textContent: sentence(problem) }));
      this.#say([{ kind: "problem", id: "browser", text: problem }]);
      this.#listener.checked = true;
      this.#drawListening();
      return;
    }
    this.#timer = setInterval(() => this.#judge(), 500);
    navigator.mediaDevices?.addEventListener?.("devicechange", this.#devicesChanged);
    if (!this.#listener.checked) this.#open();
  }

  close() {
    this.#isOver = true;
    this.#opening += 1;
    for (const part of [this.#check, this.#output, this.#tuner]) part.close();
    clearInterval(this.#timer);
    navigator.mediaDevices?.removeEventListener?.("devicechange", this.#devicesChanged);
    // After joining, the studio keeps the microphone.
    if (studio.microphone !== this.#microphone) this.#microphone?.close();
  }

  // -- layout

  /** @param {URLSearchParams} query @param {Standing | null} invitation that of this room */
  #draw(query, invitation) {
    // As the musician wrote it last time, if that is the name of the invitation.
    const known = memory.read("name", ""), invited = invitation?.name ?? known;
    this.#name.value = query.get("name") ?? (folded(known) === folded(invited) ? known : invited);
    if (invitation?.authority === "listener") this.#listener.checked = this.#listener.disabled = true;
    this.#part.value = query.get("part") ?? memory.read("part", "");
    const said = element("div", { id: "warnings", role: "status", "aria-label": "About your microphone" }, this.#list);
    this.#sound.append(
      element("legend", { textContent: "Your microphone" }),
      element("div", { className: "pair" }, labelled("Input", this.#device), labelled("Channels", this.#channels)),
      this.#meter.element, this.#tuner.node, this.#check.node, said, this.#output.node);
    this.#tuner.button.classList.add("small");
    this.#check.node.append(this.#tuner.button);
    const form = element("form", { id: "join", className: "card green-room", "aria-labelledby": "join-title" },
      element("div", { className: "title" }, element("h1", { id: "join-title", textContent: this.#room }), this.#who, tonightLink(this.#room)),
      element("div", { className: "about" },
        labelled("Your name", this.#name),
        labelled(element("span", {}, "Instrument or voice", element("small", { textContent: " if you like" })), this.#part), this.#parts),
      this.#sound,
      element("div", { className: "choices" },
        choice(this.#consent, "Record me", "Without this the others hear you, but nothing you play is kept."),
        choice(this.#backup, "Keep a lossless copy", "This browser keeps it and uploads it in the background, so that the take has you in full quality."),
        choice(this.#listener, "I only listen", "You need no microphone and take no seat."), this.#enter));
    this.#part.setAttribute("list", "instruments");
    this.#channels.value = memory.read("channels", "stereo");
    if (!CHANNELS[this.#channels.value]) this.#channels.value = "stereo";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#join();
    });
    for (const chooser of [this.#device, this.#channels]) chooser.addEventListener("change", () => this.#open());
    this.#listener.addEventListener("change", () => {
      this.#drawListening();
      if (this.#listener.checked) this.#shut();
      else this.#open();
    });
    this.#consent.addEventListener("change", () => this.#drawListening());
    this.#place.append(form);
    this.#drawListening();
    (this.#name.value ? this.#enter : this.#name).focus({ preventScroll: true });
  }

  #drawListening() {
    const listens = this.#listener.checked;
    this.#sound.hidden = listens;
    for (const input of [this.#consent, this.#backup]) input.closest("label")?.toggleAttribute("hidden", listens);
    this.#backup.disabled = !this.#consent.checked || !navigator.storage?.getDirectory;
  }

  /** Shows the members of the room, so that nobody enters the wrong one. */
  async #describe() {
    try {
      // Asks for rooms of such a name: asking for a room that does not exist is an error, but here it is fine, because the first
      // musician to enter creates the room.
      const { items } = /** @type {Page<RoomFact>} */ (await read(`/v1/rooms?q=${encodeURIComponent(this.#room)}`));
      const room = items.find(({ name }) => name === this.#room);
      const names = room?.members.map((member) => member.participant.name) ?? [];
      setText(this.#who, !room ? "A new room." : !names.length ? "Nobody is in yet."
        : `In the room: ${names.join(", ")}.${room.take ? " A take is being recorded." : ""}`);
    } catch (/** @type {any} */ error) {
      setText(this.#who, error.code === "unauthorized" ? "" : sentence(error.message));
    }
  }

  // -- the microphone

  #devicesChanged = () => this.#listDevices().catch(() => {});

  async #listDevices() {
    const found = await inputs();
    const devices = await navigator.mediaDevices.enumerateDevices();
    this.#outputs = devices.filter((device) => device.kind === "audiooutput").map((device) => device.label);
    await this.#output.list();
    const chosen = this.#device.value || memory.read("device", "");
    this.#device.replaceChildren(element("option", { value: "", textContent: "The system's choice" }),
      ...found.filter((device) => device.deviceId !== "default")
        .map((device, index) => element("option", { value: device.deviceId, textContent: device.label || `Input ${index + 1}` })));
    this.#device.value = found.some((device) => device.deviceId === chosen) ? chosen : "";
  }

  async #open() {
    const mine = ++this.#opening;
    this.#shut();
    try {
      const device = this.#device.value || memory.read("device") || undefined;
      /** @type {Microphone} */
      let microphone;
      try {
        microphone = await Microphone.open({ device, channels: this.#channels.value });
      } catch (/** @type {any} */ error) {
        // The device used last time may be missing today.
        if (error.code !== "microphone-OverconstrainedError") throw error;
        memory.write("device", null);
        microphone = await Microphone.open({ channels: this.#channels.value });
      }
      if (mine !== this.#opening || this.#isOver) return microphone.close();
      this.#microphone = microphone;
      this.#tuner.renew();
      this.#listening = new Listening(seconds());
      microphone.addEventListener("levels", () => {
        this.#meter.show(microphone.levels.peak);
        this.#listening?.take(microphone.levels, seconds());
      });
      microphone.addEventListener("ended", () => { if (!this.#isOver) this.#open(); });
      showProblem(null);
      await this.#listDevices();
      this.#judge();
    } catch (/** @type {any} */ error) {
      if (mine !== this.#opening) return;
      if (!(error instanceof Refusal)) console.error(error);
      this.#say([{ kind: "problem", id: "microphone", text: error.message }]);
    }
    return undefined;
  }

  #shut() {
    this.#microphone?.close();
    this.#microphone = null;
    this.#tuner.renew();
    this.#listening = null;
    this.#meter.show([0, 0]);
  }

  #judge() {
    const microphone = this.#microphone;
    if (!microphone || !this.#listening) return;
    this.#say(warnings({
      settings: microphone.settings, label: microphone.track.label, outputs: this.#outputs, mode: microphone.mode,
      listening: this.#listening, now: seconds(),
    }));
  }

  /** Writes only new sentences, so that a screen reader reads nothing twice.
   * @param {Warning[]} found */
  #say(found) {
    const known = new Map([...this.#list.querySelectorAll("li")].map((item) => [item.dataset.id, item]));
    const items = found.map(({ kind, id, text }) => {
      const item = known.get(id) ?? element("li", { dataset: { id, kind } });
      setText(item, sentence(text));
      return item;
    });
    if (items.some((item, index) => this.#list.children[index] !== item) || items.length !== known.size) this.#list.replaceChildren(...items);
  }

  // -- going in

  async #join() {
    const listener = this.#listener.checked;
    const kept = {
      name: this.#name.value.trim(), part: this.#part.value.trim(), consent: this.#consent.checked, listener,
      backup: this.#backup.checked && !this.#backup.disabled, channels: this.#channels.value, device: this.#device.value || undefined,
    };
    for (const [key, value] of Object.entries(kept)) {
      // What an invitation decides is no choice of the musician's.
      if (key !== "listener" || !this.#listener.disabled) memory.write(key, value);
    }
    this.#enter.disabled = true;
    setText(this.#enter, "Joining …");
    await attempt(async () => {
      if (!listener && !this.#microphone) await this.#open();
      if (!listener && !this.#microphone) throw new Refusal("microphone", this.#list.textContent || "No microphone is open");
      const options = { ...kept, room: this.#room };
      await studio.join(listener ? options : { ...options, microphone: this.#microphone });
    });
    this.#enter.disabled = false;
    setText(this.#enter, "Join");
  }
}
