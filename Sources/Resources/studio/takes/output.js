// What the deck plays on: how late it is, and whether it is there at all.

import { Refusal } from "../base/refusal.js";

/** A context whose clock stands still for so long has nothing to play on, in ms. */
export const PATIENCE = 4_000;

export const noOutput = () => new Refusal("no-output", "this browser has found nothing to play on. Connect loudspeakers "
  + "or headphones, or choose them in the system's sound settings; then press play again");

/**
 * How much later than computed sound is heard, in seconds; to be read once per start. In Firefox the page would wait for
 * the sound thread while that waits for the page, for good (seen in 153); there the line is drawn a little early.
 * @param {AudioContext} context
 */
export const latency = (context) => ("mozInnerScreenX" in globalThis ? 0 : context?.outputLatency || 0);
