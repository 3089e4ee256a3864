import { button, element } from "../base/dom.js";
import { attempt } from "../base/notices.js";

/** Keys that work anywhere in the room except in fields. The first three change the take and are for musicians only. */
const CHANGING = [
  ["R", "Start a take", (studio) => (studio.take ? null : studio.request("takeStart", { song: songName() }))],
  ["S", "Split: end this take and begin the next", (studio) => (studio.take ? studio.request("takeSplit", { song: songName() }) : null)],
  ["C", "Mark this moment with a cue", (studio) => (studio.take ? studio.request("cue", { text: cueText(studio) }) : null)],
];
const KEYS = [
  ["M", "Mute or unmute your microphone", (studio) => { studio.isMuted = !studio.isMuted; }],
  ["?", "Show these keys", (_, show) => show()],
];

const songName = () => document.getElementById("song")?.value.trim() || null;
/** The text in the cue field, or the cue's number if it is empty. */
function cueText(studio) {
  const field = document.getElementById("cue"), text = field?.value.trim();
  if (text) field.value = "";
  return text || `Cue ${studio.cues.length + 1}`;
}

export function openShortcuts(place, studio) {
  const keys = studio.mayChange ? [...CHANGING, ...KEYS] : KEYS;
  const rows = keys.map(([key, words]) => element("div", {}, element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: words })));
  const dialog = element("dialog", { className: "card", "aria-labelledby": "keys-title" },
    element("h2", { id: "keys-title", textContent: "Keys" }), element("dl", { className: "keys" }, rows),
    button("Close", () => dialog.close()));
  place.append(dialog);
  const press = (event) => {
    const isWriting = event.target.closest?.("input, textarea, select, dialog, [contenteditable]");
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const found = keys.find(([key]) => key === event.key.toUpperCase());
    if (!found) return;
    event.preventDefault();
    attempt(() => found[2](studio, () => dialog.showModal()));
  };
  document.addEventListener("keydown", press);
  return { close: () => document.removeEventListener("keydown", press) };
}
