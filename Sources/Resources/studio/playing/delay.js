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

/** What a delay is made of, in milliseconds.
 * @typedef {{ device: number | null, way: number | null, buffer: number | null, isBusy: boolean }} Parts */
/** What each part is where nothing is wrong. */
const USUAL = { device: 12, way: 12, buffer: 14 };

/**
 * Why a pair is late, and the one thing that helps most: a sentence, or null where nothing stands out. The way is from
 * `from` to `to`: the device of the one, the network between both, the buffer of the other.
 * @param {Parts} parts @param {{ from: string, to: string, isDirect: boolean }} names "you" for this page
 */
export function delayAdvice({ device, way, buffer, isBusy }, { from, to, isDirect }) {
  const excess = { device: (device ?? 0) - USUAL.device, way: (way ?? 0) - USUAL.way, buffer: (buffer ?? 0) - USUAL.buffer };
  const [[worst, by]] = Object.entries(excess).sort(([, one], [, other]) => other - one);
  if (by <= 0) return null;
  /** @param {string} name */
  const whose = (name) => (name === "you" ? "Your" : `${name}'s`);
  if (worst === "device") return `${whose(from)} input takes ${Math.round(device ?? 0)} ms: choose another one, with a cable`;
  if (worst === "buffer") {
    return isBusy ? `${whose(to)} computer is busy, so that sound waits ${Math.round(buffer ?? 0)} ms in it: close tabs and programs`
      : `Sound reaches ${to} unevenly and waits ${Math.round(buffer ?? 0)} ms: use a network cable instead of Wi-Fi`;
  }
  const sentence = `The network between ${from} and ${to} takes ${Math.round(way ?? 0)} ms`;
  return isDirect ? `${sentence}: use a network cable, or play with somebody nearer` : `${sentence}: let the owner choose “directly” in the room`;
}
