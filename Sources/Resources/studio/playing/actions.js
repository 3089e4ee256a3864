// What musicians do while they play, by key, by foot switch (playing/pedal.js) or by button: one table for all of them.

import { button, element, targetOf } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { Pedal, pedalDialog } from "./pedal.js";

/**
 * Name, key, words, and whether it changes takes, which only musicians may. The room's parts carry them out: `room` has
 * start, split, stop, cue, keep, toggleStage and turn.
 * @type {[name: string, key: string, words: string, isChange: boolean, does: (room: RoomActions) => unknown][]}
 */
const ACTIONS = [
  ["start", "R", "Start a take", true, (room) => room.start()],
  ["split", "S", "Split: end this take and begin the next", true, (room) => room.split()],
  ["cue", "C", "Mark this moment with a cue", true, (room) => room.cue()],
  ["keep", "K", "Keep the last take: make it a favourite", true, (room) => room.keep()],
  ["mute", "M", "Mute or unmute your microphone", false, (room) => room.mute()],
  ["tune", "U", "Tuner on or off", false, (room) => room.tune()],
  ["stage", "F", "Stage view: big meters and the song over the whole screen", false, (room) => room.toggleStage()],
  ["on", "PageDown", "On in the song (stage view)", false, (room) => room.turn(1)],
  ["back", "PageUp", "Back in the song (stage view)", false, (room) => room.turn(-1)],
];
/** Held down, not pressed.
 * @type {[string, string]} */
const TALK = ["T", "Hold to talk without being recorded"];

/** @param {Event} event */
const isWriting = (event) => targetOf(event)?.closest("input:not([type=range]), textarea, select, dialog, [contenteditable]");

/** @param {HTMLElement} place @param {Studio} studio @param {RoomActions} room */
export function openActions(place, studio, room) {
  const actions = ACTIONS.filter(([, , , isChange]) => !isChange || studio.mayChange);
  /** @param {string} name */
  const does = (name) => {
    const action = actions.find(([known]) => known === name);
    if (action) attempt(() => action[4](room));
  };
  const pedal = new Pedal(does);
  /** @param {string} key @param {string} words */
  const row = (key, words) => element("div", {}, element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: words }));
  const teach = pedalDialog(pedal, actions.map(([name, , words]) => [name, words]));
  /** @type {HTMLDialogElement} */
  const keys = element("dialog", { className: "card", "aria-labelledby": "keys-title" },
    element("h2", { id: "keys-title", textContent: "Keys" }),
    element("dl", { className: "keys" }, actions.map(([, key, words]) => row(key, words)), studio.microphone ? row(...TALK) : null, row("?", "Show these keys")),
    element("div", { className: "row" }, button("Close", () => keys.close()),
      button("MIDI foot switch …", () => { keys.close(); teach.showModal(); }, { className: "quiet" })));
  place.append(keys, teach);

  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (isWriting(event) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const key = event.key.toUpperCase(), action = actions.find(([, known]) => known.toUpperCase() === key);
    // Anywhere else these two scroll the page.
    if (key.startsWith("PAGE") && !place.hasAttribute("data-stage")) return;
    if (key === "?") keys.showModal();
    else if (key === TALK[0]) room.talk(true);
    else if (action) does(action[0]);
    else return;
    event.preventDefault();
  };
  // A released key ends the talk wherever the focus has gone, and so does a page that is left.
  /** @param {KeyboardEvent | FocusEvent} event */
  const release = (event) => { if (!("key" in event) || event.key?.toUpperCase() === TALK[0]) room.talk(false); };
  document.addEventListener("keydown", press);
  document.addEventListener("keyup", release);
  addEventListener("blur", release);
  return {
    showKeys: () => keys.showModal(),
    close: () => {
      document.removeEventListener("keydown", press);
      document.removeEventListener("keyup", release);
      removeEventListener("blur", release);
      room.talk(false);
      pedal.close();
    },
  };
}
