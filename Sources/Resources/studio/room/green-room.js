// Before the room: name and instrument, choice and check of the microphone, consent to recording.

import { read } from "../base/api.js";
import { element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { attempt, showProblem } from "../base/notices.js";
import { Refusal, sentence } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { Meter } from "./meter.js";
import { CHANNELS, inputs, Microphone } from "./microphone.js";
import { Listening, warnings } from "./warnings.js";

const INSTRUMENTS = [
  "voice", "acoustic guitar", "electric guitar", "bass", "double bass", "piano", "keyboard", "drums", "percussion", "violin",
  "viola", "cello", "flute", "clarinet", "saxophone", "trumpet", "trombone", "accordion", "harmonica",
];
const seconds = () => performance.now() / 1000;

/** Requirements on the browser, each with the sentence shown when it is not met. */
const NEEDS = [
  [() => window.RTCPeerConnection, "This browser cannot make calls (WebRTC). Use a recent Chromium, Firefox or Safari"],
  [() => window.AudioWorkletNode || !window.isSecureContext, "This browser is too old for this studio. Use a recent Chromium, Firefox or Safari"],
  [() => window.isSecureContext, "Browsers allow a microphone only on secure pages: open this page over https:// or on localhost. You can still listen"],
];

export async function openGreenRoom(place, room, { query }) {
  const view = new GreenRoom(place, room, query);
  await view.begin();
  return { close: () => view.close() };
}

class GreenRoom {
  #place;
  #room;
  #microphone = null;
  #listening = null;
  #opening = 0;
  #timer = null;
  #outputs = [];
  #isOver = false;

  constructor(place, room, query) {
    this.#place = place;
    this.#room = room;
    this.#draw(query);
  }

  async begin() {
    this.#describe();
    for (const [isThere, problem] of NEEDS) {
      if (isThere()) continue;
      this.#say([{ kind: "problem", id: "browser", text: problem }]);
      this.listener.checked = true;
      this.#drawListening();
      return;
    }
    this.#timer = setInterval(() => this.#judge(), 500);
    navigator.mediaDevices?.addEventListener?.("devicechange", this.#devicesChanged);
    if (!this.listener.checked) this.#open();
  }

  close() {
    this.#isOver = true;
    this.#opening += 1;
    clearInterval(this.#timer);
    navigator.mediaDevices?.removeEventListener?.("devicechange", this.#devicesChanged);
    // After joining, the studio keeps the microphone.
    if (studio.microphone !== this.#microphone) this.#microphone?.close();
  }

  // -- layout

  #draw(query) {
    const remembered = (name) => query.get(name) ?? memory.read(name, "");
    const field = (id, label, properties, hint) => {
      const input = element("input", { id, name: id, maxLength: 64, ...properties });
      this[id] = input;
      return element("label", { htmlFor: id }, element("span", {}, label, hint ? element("small", { textContent: ` ${hint}` }) : null), input);
    };
    const choice = (id, label, hint, checked) => {
      const input = element("input", { id, name: id, type: "checkbox", checked });
      this[id] = input;
      return element("label", { className: "choice" }, input, element("span", {}, label, " ", element("small", { textContent: hint })));
    };
    const select = (id, label, options) => {
      const chooser = element("select", { id }, Object.entries(options).map(([value, text]) => element("option", { value, textContent: text })));
      this[id] = chooser;
      return element("label", { htmlFor: id }, label, chooser);
    };
    const parts = element("datalist", { id: "instruments" }, INSTRUMENTS.map((value) => element("option", { value })));
    this.meter = new Meter(2, "Level of your microphone");
    this.who = element("p", { className: "lead", id: "who", textContent: " " });
    this.list = element("ul", { className: "warnings" });
    const said = element("div", { id: "warnings", role: "status", "aria-label": "About your microphone" }, this.list);
    this.enter = element("button", { type: "submit", id: "enter", textContent: "Join" });
    const listener = choice("listener", "I only listen", "You need no microphone and take no seat.", memory.read("listener", false));
    this.sound = element("fieldset", { className: "sound-check" },
      element("legend", { textContent: "Your microphone" }),
      element("div", { className: "pair" },
        select("device", "Input", { "": "The system's choice" }), select("channels", "Channels", CHANNELS)),
      this.meter.element, said);
    const form = element("form", { id: "join", className: "card green-room", "aria-labelledby": "join-title" },
      element("div", { className: "title" }, element("h1", { id: "join-title", textContent: this.#room }), this.who),
      element("div", { className: "about" },
        field("name", "Your name", { required: true, autocomplete: "nickname", placeholder: "Ada", value: remembered("name") }),
        field("part", "Instrument or voice", { autocomplete: "off", placeholder: "guitar", value: remembered("part") }, "if you like"), parts),
      this.sound,
      element("div", { className: "choices" },
        choice("consent", "Record me", "Without this the others hear you, but nothing you play is kept.", memory.read("consent", true)),
        choice("backup", "Keep a lossless copy", "This browser keeps it and uploads it in the background, so that the take has you in full quality.", memory.read("backup", true)),
        listener, this.enter));
    this.part.setAttribute("list", "instruments");
    this.channels.value = memory.read("channels", "stereo");
    if (!CHANNELS[this.channels.value]) this.channels.value = "stereo";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#join();
    });
    for (const chooser of [this.device, this.channels]) chooser.addEventListener("change", () => this.#open());
    this.listener.addEventListener("change", () => {
      this.#drawListening();
      if (this.listener.checked) this.#shut();
      else this.#open();
    });
    this.consent.addEventListener("change", () => this.#drawListening());
    this.#place.append(form);
    this.#drawListening();
    (this.name.value ? this.enter : this.name).focus({ preventScroll: true });
  }

  #drawListening() {
    const listens = this.listener.checked;
    this.sound.hidden = listens;
    for (const input of [this.consent, this.backup]) input.closest("label").hidden = listens;
    this.backup.disabled = !this.consent.checked || !navigator.storage?.getDirectory;
  }

  /** Shows the members of the room, so that nobody enters the wrong one. */
  async #describe() {
    try {
      // Asks for all rooms: asking for a room that does not exist is an error, but here it is fine, because the first
      // musician to enter creates the room.
      const room = (await read("/v1/rooms")).items.find(({ name }) => name === this.#room);
      const names = room?.members.map((member) => member.participant.name) ?? [];
      setText(this.who, !room ? "A new room." : !names.length ? "Nobody is in yet."
        : `In the room: ${names.join(", ")}.${room.take ? " A take is being recorded." : ""}`);
    } catch (error) {
      setText(this.who, error.code === "unauthorized" ? "" : sentence(error.message));
    }
  }

  // -- the microphone

  #devicesChanged = () => this.#listDevices().catch(() => {});

  async #listDevices() {
    const found = await inputs();
    const devices = await navigator.mediaDevices.enumerateDevices();
    this.#outputs = devices.filter((device) => device.kind === "audiooutput").map((device) => device.label);
    const chosen = this.device.value || memory.read("device", "");
    this.device.replaceChildren(element("option", { value: "", textContent: "The system's choice" }),
      ...found.filter((device) => device.deviceId !== "default")
        .map((device, index) => element("option", { value: device.deviceId, textContent: device.label || `Input ${index + 1}` })));
    this.device.value = found.some((device) => device.deviceId === chosen) ? chosen : "";
  }

  async #open() {
    const mine = ++this.#opening;
    this.#shut();
    try {
      const device = this.device.value || memory.read("device") || undefined;
      let microphone;
      try {
        microphone = await Microphone.open({ device, channels: this.channels.value });
      } catch (error) {
        // The device used last time may be missing today.
        if (error.code !== "microphone-OverconstrainedError") throw error;
        memory.write("device", null);
        microphone = await Microphone.open({ channels: this.channels.value });
      }
      if (mine !== this.#opening || this.#isOver) return microphone.close();
      this.#microphone = microphone;
      this.#listening = new Listening(seconds());
      microphone.addEventListener("levels", () => {
        this.meter.show(microphone.levels.peak);
        this.#listening?.take(microphone.levels, seconds());
      });
      microphone.addEventListener("ended", () => { if (!this.#isOver) this.#open(); });
      showProblem(null);
      await this.#listDevices();
      this.#judge();
    } catch (error) {
      if (mine !== this.#opening) return;
      if (!(error instanceof Refusal)) console.error(error);
      this.#say([{ kind: "problem", id: "microphone", text: error.message }]);
    }
    return undefined;
  }

  #shut() {
    this.#microphone?.close();
    this.#microphone = null;
    this.#listening = null;
    this.meter.show([0, 0]);
  }

  #judge() {
    const microphone = this.#microphone;
    if (!microphone || !this.#listening) return;
    this.#say(warnings({
      settings: microphone.settings, label: microphone.track.label, outputs: this.#outputs, mode: microphone.mode,
      listening: this.#listening, now: seconds(),
    }));
  }

  /** Writes only new sentences, so that a screen reader reads nothing twice. */
  #say(found) {
    const known = new Map([...this.list.children].map((item) => [item.dataset.id, item]));
    const items = found.map(({ kind, id, text }) => {
      const item = known.get(id) ?? element("li", { dataset: { id, kind } });
      setText(item, sentence(text));
      return item;
    });
    if (items.some((item, index) => this.list.children[index] !== item) || items.length !== known.size) this.list.replaceChildren(...items);
  }

  // -- going in

  async #join() {
    const listener = this.listener.checked;
    const options = {
      room: this.#room, name: this.name.value.trim(), part: this.part.value.trim(), consent: this.consent.checked, listener,
      backup: this.backup.checked && !this.backup.disabled, channels: this.channels.value, device: this.device.value || undefined,
    };
    for (const key of ["name", "part", "consent", "listener", "backup", "channels", "device"]) memory.write(key, options[key]);
    this.enter.disabled = true;
    setText(this.enter, "Joining …");
    await attempt(async () => {
      if (!listener && !this.#microphone) await this.#open();
      if (!listener && !this.#microphone) throw new Refusal("microphone", this.list.textContent || "No microphone is open");
      await studio.join(listener ? options : { ...options, microphone: this.#microphone });
    });
    this.enter.disabled = false;
    setText(this.enter, "Join");
  }
}
