// The band across the top of the room: whether it is recorded, for how long, what the take is called, and one line of truth.

import { clock, element, setText } from "../base/dom.js";
import { bandOf, signOf } from "./facts.js";
import { RollingLine } from "./take-line.js";
import { STATE_WORDS } from "./truth.js";

/** Milliseconds between two looks: words change without an event too, when the disk does not confirm any more. */
const LOOK = 250;
/** Milliseconds between two looks at how loud the take is. */
const LISTEN = 100;

/** @param {Studio} studio @param {HTMLElement} controls what starts, names and stops the take */
export function openBand(studio, controls) {
  const word = element("strong", { className: "band-word" });
  const time = element("time", { className: "band-time" });
  const truth = element("p", { id: "disk", className: "band-truth" });
  const line = new RollingLine(studio);
  const node = element("section", { className: "band", ariaLabel: "Recording" },
    element("div", { className: "band-sign" }, element("span", { className: "band-lamp", ariaHidden: "true" }), word, time), controls, line.node, truth);
  const draw = () => {
    const { state, counter } = signOf(studio);
    node.dataset.state = state;
    setText(word, STATE_WORDS[state]);
    setText(time, counter === null ? "" : clock(counter));
    setText(truth, bandOf(studio));
  };
  const timer = setInterval(draw, LOOK);
  const listening = setInterval(() => line.add(signOf(studio).counter), LISTEN);
  studio.addEventListener("state", draw);
  draw();
  return {
    node,
    close: () => {
      clearInterval(timer);
      clearInterval(listening);
      studio.removeEventListener("state", draw);
    },
  };
}
