// Where sound comes out: one choice for the other musicians, clicks and playback in the room, and a tone to try it.

import { button, element } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { attempt } from "../base/notices.js";

export const canChooseOutput = "setSinkId" in HTMLMediaElement.prototype;

/** The test tone: Hz, its peak of -20 dBFS as a share of full scale, seconds, and seconds of its beginning and end. */
const TONE = { frequency: 440, peak: 0.1, length: 1, fade: 0.02 };
const RATE = 48_000;

export const chosenOutput = () => memory.read("output", "");

/** Sends an audio element or a context to the chosen output; one that is gone means the system's.
 * @param {HTMLMediaElement | AudioContext | null | undefined} player */
export async function route(player, device = chosenOutput()) {
  if (!player?.setSinkId) return;
  await player.setSinkId(device).catch(() => player.setSinkId?.("").catch(() => {}));
}

/** The test tone as a WAV file of 16 bits and one channel. Pure. */
export function toneFile() {
  const frames = RATE * TONE.length, bytes = new DataView(new ArrayBuffer(44 + 2 * frames));
  /** @param {number} at @param {string} text */
  const write = (at, text) => [...text].forEach((letter, index) => bytes.setUint8(at + index, letter.charCodeAt(0)));
  write(0, "RIFF");
  bytes.setUint32(4, 36 + 2 * frames, true);
  write(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, RATE, true);
  bytes.setUint32(28, 2 * RATE, true);
  bytes.setUint16(32, 2, true);
  bytes.setUint16(34, 16, true);
  write(36, "data");
  bytes.setUint32(40, 2 * frames, true);
  for (let frame = 0; frame < frames; frame += 1) {
    const envelope = Math.min(1, frame / (RATE * TONE.fade), (frames - frame) / (RATE * TONE.fade));
    bytes.setInt16(44 + 2 * frame, Math.round(32_767 * TONE.peak * envelope * Math.sin((2 * Math.PI * TONE.frequency * frame) / RATE)), true);
  }
  return bytes.buffer;
}

/** A choice of the output with a test tone; a sentence where the browser has no choice. `list()` looks for devices anew.
 * @param {string} id of the field @param {(device: string) => unknown} [choose] */
export function outputChoice(id, choose) {
  const field = element("select", { id });
  field.addEventListener("change", () => {
    memory.write("output", field.value || null);
    choose?.(field.value);
  });
  /** @type {HTMLAudioElement | null} */
  let player = null;
  const stop = () => {
    player?.pause();
    if (player) URL.revokeObjectURL(player.src);
    player = null;
  };
  const tone = button("Test tone", () => attempt(async () => {
    stop();
    const mine = player = new Audio(URL.createObjectURL(new Blob([toneFile()], { type: "audio/wav" })));
    mine.addEventListener("ended", () => { if (player === mine) stop(); });
    await route(mine);
    // Pressed again meanwhile.
    if (player === mine) await mine.play();
  }), { className: "quiet small test-tone", title: "A second of a quiet tone, into this output alone" });
  const node = element("div", { className: "row output-choice" },
    canChooseOutput ? element("label", { htmlFor: id, className: "grow" }, "Output", field)
      : element("p", { className: "hint grow", textContent: "You hear the others on the system's output: this browser leaves that choice to the system." }), tone);
  const list = async () => {
    const devices = (await navigator.mediaDevices?.enumerateDevices() ?? [])
      .filter(({ kind, deviceId }) => kind === "audiooutput" && deviceId && deviceId !== "default");
    const present = chosenOutput();
    field.replaceChildren(element("option", { value: "", textContent: "The system's choice" }),
      ...devices.map(({ deviceId, label }, index) => element("option", { value: deviceId, textContent: label || `Output ${index + 1}` })));
    field.value = devices.some(({ deviceId }) => deviceId === present) ? present : "";
  };
  return { node, list, close: stop };
}
