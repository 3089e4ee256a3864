// Where sound comes out: one choice for the other musicians, clicks and playback in the room.

import { element } from "../base/dom.js";
import { memory } from "../base/memory.js";

export const canChooseOutput = "setSinkId" in HTMLMediaElement.prototype;

export const chosenOutput = () => memory.read("output", "");

/** Sends an audio element or a context to the chosen output; one that is gone means the system's.
 * @param {HTMLMediaElement | AudioContext | null | undefined} player */
export async function route(player, device = chosenOutput()) {
  if (!player?.setSinkId) return;
  await player.setSinkId(device).catch(() => player.setSinkId?.("").catch(() => {}));
}

/** A field to choose the output, or null where the browser has no choice.
 * @param {(device: string) => unknown} choose */
export async function outputField(choose) {
  if (!canChooseOutput) return null;
  const devices = (await navigator.mediaDevices?.enumerateDevices() ?? [])
    .filter(({ kind, deviceId }) => kind === "audiooutput" && deviceId && deviceId !== "default");
  const present = chosenOutput();
  const field = element("select", { id: "room-output" }, element("option", { value: "", textContent: "The system's choice" }),
    devices.map(({ deviceId, label }, index) => element("option", { value: deviceId, textContent: label || `Output ${index + 1}`, selected: deviceId === present })));
  field.addEventListener("change", () => {
    memory.write("output", field.value || null);
    choose(field.value);
  });
  return element("label", { htmlFor: "room-output" }, "Output", field);
}
