// What was played in one session, above its list: tonight, as a whole. Pure but for the elements.

import { path } from "../base/api.js";
import { clock, count, element } from "../base/dom.js";
import { isFinished } from "./take-words.js";

/** Milliseconds for which an evening is this one. */
const LATELY = 12 * 3_600_000;

/** The list of all takes of a session, in the order played.
 * @param {string} session */
export const eveningAddress = (session) => `/takes?session=${encodeURIComponent(session)}&sort=oldest`;

/** "Tonight", "Today", or "Nov 24, 2026".
 * @param {string} startedAt @param {Date} [now] */
export function eveningName(startedAt, now = new Date()) {
  const began = new Date(startedAt), hour = began.getHours();
  if (Math.abs(now.getTime() - began.getTime()) > LATELY) return began.toLocaleDateString([], { dateStyle: "medium" });
  return hour >= 16 || hour < 5 ? "Tonight" : "Today";
}

/** "4 takes, 12:31 of music"; more than are listed is said.
 * @param {Take[]} takes @param {boolean} hasMore */
function eveningFacts(takes, hasMore) {
  const finished = takes.filter(isFinished), seconds = finished.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  const coming = takes.length - finished.length;
  return [
    `${count(finished.length, "take")}${hasMore ? " and more" : ""}`, `${clock(seconds)} of music`,
    coming ? `${coming} still to come` : null,
  ].filter(Boolean).join(" · ");
}

/** The head of an evening's list: what there is, play all, and all of it as one download.
 * @param {string} session @param {Take[]} takes @param {boolean} hasMore @param {HTMLElement} play */
export function eveningHead(session, takes, hasMore, play) {
  const archive = element("a", {
    className: "button small", href: path("sessions", session, "archive"), download: "", title: "One ZIP with every track, mix and manifest, for any DAW",
    textContent: "Download all",
  });
  play.hidden = archive.hidden = !takes.some(isFinished);
  return [element("p", { className: "evening-facts", textContent: eveningFacts(takes, hasMore) }), play, archive,
    element("a", { className: "evening-all", href: "/takes", textContent: "All takes" })];
}
