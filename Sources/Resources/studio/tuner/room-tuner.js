// The tuner of the room: its microphone may be changed, muted or gone at any time.

import { Tuner } from "./tuner.js";

/** @param {Studio} studio */
export function openTuner(studio) {
  const tuner = new Tuner(() => studio.microphone);
  const renew = () => tuner.renew();
  const events = /** @type {const} */ (["state", "microphone"]);
  for (const event of events) studio.addEventListener(event, renew);
  renew();
  return {
    button: tuner.button, node: tuner.node, toggle: () => tuner.toggle(),
    close: () => {
      for (const event of events) studio.removeEventListener(event, renew);
      tuner.close();
    },
  };
}
