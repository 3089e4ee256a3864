// A take in words: its name, state and length.

import { clock, count, moment } from "../base/dom.js";
import { takeTitle } from "../base/header-words.js";

/** The name of a take: its title, or its number and song.
 * @param {Take} take */
export const takeName = (take) => take.title ?? takeTitle(take);

/** States in which a take has files.
 * @param {Take} take */
export const isFinished = (take) => take.state === "ready" || take.state === "incomplete";

const STATES = {
  rolling: "is being recorded",
  captured: "is recorded and waiting to be rendered",
  rendering: "is being rendered",
  ready: "is ready",
  incomplete: "is incomplete: everything that could be saved is here",
  failed: "could not be rendered",
};

/** "is being recorded"
 * @param {Take} take */
export const stateWords = (take) => STATES[take.state] ?? take.state;

/** One word for a badge; null if none is needed.
 * @param {Take} take */
export function stateBadge(take) {
  if (take.deletedAt) return "in the trash";
  if (take.state === "ready") return null;
  return take.state === "rolling" ? "recording" : take.state;
}

/** "3:07", or a dash if the length is not known yet.
 * @param {Take} take */
export const lengthWords = (take) => (take.duration === null ? "–" : clock(take.duration));

/** Date, length and number of tracks: ["Nov 21, 2026, 18:40", "3:07", "3 tracks"].
 * @param {Take} take */
export const factsOf = (take) =>
  [moment(take.startedAt), take.duration === null ? null : clock(take.duration),
    take.trackCount ? count(take.trackCount, "track") : null]
    .filter(Boolean);

/** "★★★★☆"; `ratingWords` is the version for screen readers.
 * @param {number | null} rating */
export const stars = (rating) => (rating ? "★".repeat(rating) + "☆".repeat(5 - rating) : "");
/** @param {number | null} rating */
export const ratingWords = (rating) => (rating ? `${rating} of 5 stars` : "not rated");

/** 12.3 → "0:12.3".
 * @param {number} seconds */
export const fineClock = (seconds) => {
  const tenths = Math.max(0, Math.round(seconds * 10));
  return `${clock(Math.floor(tenths / 10))}.${tenths % 10}`;
};

/** A number in the user's locale with at most `decimals` decimals.
 * @param {number} number @param {number} [decimals] */
export const figure = (number, decimals = 1) => number.toLocaleString([], { maximumFractionDigits: decimals });

/** The name of a track: "Ada, guitar".
 * @param {Track} track */
export const trackName = (track) => [track.participant.name, track.part].filter(Boolean).join(", ");
