import { button, element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { sentence } from "../base/refusal.js";
import { outputChoice } from "../playing/output.js";
import { soundCheck } from "../playing/sound-check.js";
import { CHANNELS, inputs } from "./microphone.js";

/** Lets a musician change the microphone without leaving the room; the take goes on in the same track.
 * @param {Studio} studio */
export async function openMicrophoneDialog(studio) {
  const found = (await inputs()).filter((device) => device.deviceId !== "default");
  /** @param {string} value @param {string} textContent @param {boolean} selected */
  const option = (value, textContent, selected) => element("option", { value, textContent, selected });
  const { device = "", channels = "stereo" } = studio.options ?? {};
  const deviceField = element("select", { id: "room-device" }, option("", "The system's choice", !device),
    found.map(({ deviceId, label }, index) => option(deviceId, label || `Input ${index + 1}`, deviceId === device)));
  const channelsField = element("select", { id: "room-channels" },
    Object.entries(CHANNELS).map(([value, text]) => option(value, text, value === channels)));
  const output = outputChoice("room-output", () => studio.sound?.ears.useOutput());
  await output.list();
  const check = soundCheck(() => ({ microphone: studio.microphone, isSilent: studio.isSilent }));
  const problem = element("p", { role: "alert", className: "sentence" });
  /** @type {HTMLFormElement} */
  const form = element("form", { method: "dialog" },
    element("h2", { id: "microphone-title", textContent: "Your sound" }),
    element("label", { htmlFor: "room-device" }, "Input", deviceField), element("label", { htmlFor: "room-channels" }, "Channels", channelsField),
    output.node, check.node, problem,
    element("div", { className: "row" }, element("button", { type: "submit", textContent: "Use it" }), button("Cancel", () => dialog.close(), { className: "quiet" })));
  /** @type {HTMLDialogElement} */
  const dialog = element("dialog", { "aria-labelledby": "microphone-title", className: "card" }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await studio.changeMicrophone({ device: deviceField.value || undefined, channels: channelsField.value });
      memory.write("device", deviceField.value || null);
      memory.write("channels", channelsField.value);
      dialog.close();
    } catch (/** @type {any} */ error) {
      setText(problem, sentence(error.message));
    }
  });
  dialog.addEventListener("close", () => {
    check.close();
    output.close();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
