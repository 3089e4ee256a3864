// The keys of a take's page. They do nothing while a text field, or a control that uses the key itself, has the focus.

import { targetOf } from "../base/dom.js";

const WRITES = "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/** `keys`: {" ": f, "ArrowLeft": f, "m": f, …}, called with the event; returns a function that removes the keys.
 * @param {Record<string, (event: KeyboardEvent) => unknown>} keys */
export function listenForKeys(keys) {
  /** @param {KeyboardEvent} event */
  const hear = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = targetOf(event);
    if (target?.closest(WRITES) || document.querySelector("dialog[open]")) return;
    // Arrows move a slider and choose among radio buttons; space and return press the focused control.
    const isWalk = /^(Arrow|Home|End|Page)/.test(event.key);
    if (isWalk && target?.closest("input, summary")) return;
    const isPress = event.key === " " || event.key === "Enter";
    if (isPress && target?.closest("button, a, summary, input:not([type=range])")) return;
    const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    does(event);
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

/** The lines of the help: [keys, meaning]. */
export const KEY_HELP = [
  ["Space", "play or pause"], ["← →", "5 seconds back or on; with shift half a second"],
    ["Home, End", "to the beginning, the end"],
  ["L", "loop on or off"], ["C", "cue at the playhead"], ["M, S", "mute, solo of the track in focus"],
  ["↑ ↓", "the track above, below"], ["+ − 0", "closer, wider, the whole take"], ["X", "the other of two takes"],
];
