// What people read about a take: its name, its state, how long it is.

import { clock, count, moment } from "../base/dom.js";
import { takeTitle } from "../base/header.js";

/** What a take is called: its title, or its number and song. */
export const takeName = (take) => take.title ?? takeTitle(take);

/** States in which a take has files. */
export const isFinished = (take) => take.state === "ready" || take.state === "incomplete";

const STATES = {
  rolling: "is being recorded",
  captured: "is recorded and waits to be rendered",
  rendering: "is being rendered",
  ready: "is ready",
  incomplete: "is incomplete: all that could be saved is there",
  failed: "could not be rendered",
};

/** "is being recorded" */
export const stateWords = (take) => STATES[take.state] ?? take.state;

/** One word for a badge; null where nothing needs to be said. */
export function stateBadge(take) {
  if (take.deletedAt) return "in the trash";
  if (take.state === "ready") return null;
  return take.state === "rolling" ? "recording" : take.state;
}

/** "3:07", or a dash where it is not known yet. */
export const lengthWords = (take) => (take.duration === null ? "–" : clock(take.duration));

/** When it was made, how long it is, how many tracks: ["Nov 21, 2026, 18:40", "3:07", "3 tracks"]. */
export const factsOf = (take) =>
  [moment(take.startedAt), take.duration === null ? null : clock(take.duration),
    take.trackCount ? count(take.trackCount, "track") : null]
    .filter(Boolean);

/** "★★★★☆" for eyes; `ratingWords` for ears. */
export const stars = (rating) => (rating ? "★".repeat(rating) + "☆".repeat(5 - rating) : "");
export const ratingWords = (rating) => (rating ? `${rating} of 5 stars` : "not rated");

/** 12.3 → "0:12.3". */
export const fineClock = (seconds) => {
  const tenths = Math.max(0, Math.round(seconds * 10));
  return `${clock(Math.floor(tenths / 10))}.${tenths % 10}`;
};

/** A number with so many decimals at most, as people here write it. */
export const figure = (number, decimals = 1) => number.toLocaleString([], { maximumFractionDigits: decimals });

/** What a track is called: "Ada, guitar". */
export const trackName = (track) => [track.participant.name, track.part].filter(Boolean).join(", ");
