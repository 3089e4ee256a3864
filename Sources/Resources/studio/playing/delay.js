// How late musicians hear each other, as one figure with a word. Pure.
//
// The limits: musicians keep together by ear up to 20 to 30 ms one way, the ensemble performance threshold (N. Schuett,
// The Effects of Latency on Ensemble Performance, CCRMA Stanford 2002); 25 ms is also the way of sound over 8.6 m, about a
// large stage. In trials with delays of 0 to 120 ms players held a steady tempo up to 40 ms (K. Tsioutas, G. Xylomenos,
// Assessing the QoME of NMP via Audio Analysis Tools, SIGMAP 2021). 45 ms leaves our estimate its error.

/** Milliseconds below which playing is tight, and below which it is playable. */
export const TIGHT = 25;
export const PLAYABLE = 45;

/** Metres that sound goes in a millisecond, at 20 °C. */
const METRES = 0.343;

/**
 * The delay of a pair: {milliseconds, word, metres}, by the slower direction, which is what the other waits for; null while
 * neither is known. `toUs`, `toThem` in milliseconds, or null.
 * @param {{ toUs: number | null, toThem: number | null }} ways
 */
export function pairDelay({ toUs, toThem }) {
  const known = /** @type {number[]} */ ([toUs, toThem].filter((value) => Number.isFinite(value)));
  if (!known.length) return null;
  const milliseconds = Math.round(Math.max(...known));
  const word = milliseconds < TIGHT ? "tight" : milliseconds < PLAYABLE ? "playable" : "late";
  return { milliseconds, word, metres: Math.round(milliseconds * METRES) };
}
