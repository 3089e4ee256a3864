// How exactly the tracks lie: the recorder's measurements in words and as a picture. docs/timeline.md explains the
// figures.

import { clock, count, element } from "../base/dom.js";
import { figure } from "./take-words.js";

/** @type {Record<string, string>} */
const CAUSES = {
  loss: "lost on the way", disconnected: "away from the network", captureStall: "the microphone stood still",
  undecodable: "could not be decoded", recorder: "the recorder could not follow",
};
/** @type {Record<string, string>} */
const BASES = {
  "abs-capture-time": "the sender's capture times", "sender reports": "the sender's reports",
    "arrival times": "arrival times",
};
/** The least bound that the badge states, in milliseconds: nothing is exact to 0 ms. */
const LEAST = 0.1;
/** Most gaps to list; the rest are only counted. */
const LISTED = 3;

/** "lost at 0:12 and 1:03", "lost at 0:12, 0:40, 1:03 and 5 more places".
 * @param {Gap[]} gaps */
function places(gaps) {
  const times = gaps.slice(0, LISTED).map(({ start }) => clock(start));
  const more = gaps.length - times.length;
  if (more > 0) return `${times.join(", ")} and ${count(more, "more place")}`;
  return times.length > 1 ? `${times.slice(0, -1).join(", ")} and ${times.at(-1)}` : times[0];
}

/** ": no round trip was measured", with the stretches concerned if others have a bound.
 * @param {Alignment} alignment */
function whyUnknown({ unknownBecause, errorBounds = [] }) {
  const unknown = errorBounds.filter(({ errorBound }) => errorBound === null);
  const where = unknown.length && unknown.length < errorBounds.length
    ? ` (${stretchesWords(unknown)}; the rest lies within ${figure(worstOf(errorBounds))} ms)` : "";
  return `${unknownBecause ? `: ${unknownBecause}` : ""}${where}`;
}

/** " (within 3.1 ms from 0:10 to 4:12)", if some stretch is far more exact than the whole.
 * @param {Alignment} alignment */
function atItsBest({ errorBound, errorBounds = [] }) {
  if (errorBound === null) return "";
  const longest = errorBounds.filter((stretch) => stretch.errorBound !== null && stretch.errorBound < errorBound / 1.5)
    .sort((a, b) => (b.end - b.start) - (a.end - a.start))[0];
  return longest?.errorBound ? ` (within ${figure(longest.errorBound)} ms ${stretchesWords([longest])})` : "";
}

/** "from 0:10 to 4:12", "from 0:00 to 0:03 and 2 more stretches".
 * @param {Stretch[]} stretches */
function stretchesWords(stretches) {
  const [{ start, end }] = stretches, more = stretches.length - 1;
  return `from ${clock(start)} to ${clock(end)}${more > 0 ? ` and ${count(more, "more stretch", "more stretches")}` : ""}`;
}

/**
 * "sound left out by the sender would not show in the first 0.9 s and the last 0.1 s", nothing for takes that do not say.
 * @param {Alignment} alignment @param {number} length
 */
function unseenWords({ unseenDrops, errorBounds = [] }, length) {
  if (!unseenDrops?.length) return null;
  const begin = errorBounds[0]?.start ?? 0;
  const places = unseenDrops.slice(0, LISTED).map(({ start, end }) => {
    const [isFirst, isLast] = [start <= begin + 0.001, end >= length - 0.001];
    if (isFirst && isLast) return "this track";
    if (isFirst) return `its first ${figure(end - start)} s`;
    return isLast ? `its last ${figure(end - start)} s` : `${figure(end - start)} s from ${clock(start)} on`;
  });
  const more = unseenDrops.length - places.length;
  if (more > 0) places.push(count(more, "more stretch", "more stretches"));
  const last = places.pop();
  return `sound left out by the sender would not show in ${places.length ? `${places.join(", ")} and ` : ""}${last}`;
}

/** "2 talks to the others at 0:12 and 1:03, silent here", nothing without any.
 * @param {any} alignment */
function talkWords({ talks }) {
  return talks?.length ? `${count(talks.length, "talk")} to the others at ${places(talks)}, which ${talks.length === 1 ? "is" : "are"} silence here` : null;
}

/** The greatest known bound.
 * @param {Stretch[]} errorBounds */
const worstOf = (errorBounds) => Math.max(0, ...errorBounds.map(({ errorBound }) => errorBound ?? 0));

/** "Bob lies within 0.4 ms of the time line; drift 21.4 ppm; 12 packets repaired, 1 lost at 0:12."
 * @param {Track} track @param {number} length */
function certificateWords(track, length) {
  const { participant, alignment, gaps } = track;
  if (!alignment) return `The alignment of ${participant.name} is unknown.`;
  const parts = [
    alignment.errorBound === null
      ? `How exactly ${participant.name} lies is not known${whyUnknown(alignment)}`
      : `${participant.name} lies within ${figure(alignment.errorBound)} ms of the time line${atItsBest(alignment)}`,
    `drift ${figure(alignment.drift)} ppm`,
  ];
  const { expectedPackets, recoveredPackets, lostPackets } = alignment;
  const lost = gaps.filter(({ cause }) => cause === "loss" || cause === "undecodable");
  if (!recoveredPackets && !lostPackets) parts.push(`all ${expectedPackets.toLocaleString()} packets arrived`);
  else {
    const repaired = recoveredPackets ? `${count(recoveredPackets, "packet")} repaired` : null;
    const where = lost.length ? ` at ${places(lost)}` : "";
    const gone = lostPackets ? `${lostPackets.toLocaleString()} lost${where}` : "none lost";
    parts.push([repaired, gone].filter(Boolean).join(", "));
  }
  for (const cause of Object.keys(CAUSES)) {
    const others = gaps.filter((gap) => gap.cause === cause && !lost.includes(gap));
    if (others.length) parts.push(`${CAUSES[cause]} at ${places(others)}`);
  }
  const unseen = unseenWords(alignment, length);
  if (unseen) parts.push(unseen);
  const talk = talkWords(alignment);
  if (talk) parts.push(talk);
  return `${parts.join("; ")}.`;
}

/** The time line of one track with its gaps, and its musician's talk, which is none.
 * @param {Track} track @param {number} length */
function strip(track, length) {
  const talks = (/** @type {any} */ (track.alignment)?.talks ?? []).map((/** @type {{ start: number, end: number }} */ { start, end }) => element("span", {
    className: "talk", title: `${clock(start)}: ${figure(end - start)} s of talk to the others, silence here`,
    style: { left: `${(start / length) * 100}%`, width: `${((end - start) / length) * 100}%` },
  }));
  return element("div", { className: "certificate-strip" }, ...talks, ...track.gaps.map(({ start, duration, cause, concealed }) =>
    element("span", {
      dataset: { concealed: String(concealed) },
        title: `${clock(start)}: ${figure(duration * 1_000)} ms, ${CAUSES[cause] ?? cause}${concealed ? ", concealed" : ""}`,
      style: { left: `${(start / length) * 100}%`, width: `${(duration / length) * 100}%` },
    })));
}

/** The error bound to either side of the true instant, hatched where nothing bounds it; the picture ends at `reach` ms.
 * @param {Track} track @param {number} reach */
function whisker(track, reach) {
  const share = Math.min(1, (track.alignment?.errorBound ?? reach) / reach) * 50;
  return element("div", { className: "certificate-bound" },
    element("span", { dataset: { known: String(typeof track.alignment?.errorBound === "number") },
      style: { left: `${50 - share}%`, right: `${50 - share}%` } }));
}

/** "Made more exact after the take: 12 more packets are heard, sounds moved by up to 3.1 ms."
 * @param {NonNullable<Take["refinement"]>} refinement */
function refinementWords({ packets, greatestMove }) {
  const more = packets ? [`${count(packets, "packet")} more ${packets === 1 ? "is" : "are"} heard`] : [];
  const parts = [...more, `sounds moved by up to ${figure(greatestMove)} ms`];
  return `Made more exact after the take: ${parts.join(", ")}.`;
}

/**
 * The badge: how far a sound may lie from its true place, and whether anything is missing. "Exact to 0.4 ms",
 * "2 of 3 tracks exact to 15 ms · 1 gap". Pure.
 * @param {Track[]} tracks @returns {{ state: "exact" | "gaps" | "unknown", words: string }}
 */
export function badgeOf(tracks) {
  const bounds = tracks.flatMap(({ alignment }) => (typeof alignment?.errorBound === "number" ? [alignment.errorBound] : []));
  const gaps = tracks.reduce((sum, track) => sum + track.gaps.length, 0), missing = gaps ? ` · ${count(gaps, "gap")}` : "";
  if (!bounds.length) return { state: "unknown", words: `Exactness unknown${missing}` };
  const isWhole = bounds.length === tracks.length, exact = `xact to ${figure(Math.max(LEAST, ...bounds))} ms`;
  return {
    state: !isWhole ? "unknown" : gaps ? "gaps" : "exact",
    words: `${isWhole ? `E${exact}` : `${bounds.length} of ${count(tracks.length, "track")} e${exact}`}${missing}`,
  };
}

/** The badge with everything behind it; nothing changes in it later.
 * @param {TakeStore} store */
export function certificate(store) {
  const { tracks, take } = store, length = take.duration || 1;
  const bounds = tracks.map(({ alignment }) => alignment?.errorBound ?? 0);
  const reach = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].find((reach) => reach >= Math.max(...bounds)) ?? 5_000;
  const worst = Math.max(...bounds);
  // A track without a bound has no distance to the others.
  const all = tracks.length > 1 && tracks.every(({ alignment }) => typeof alignment?.errorBound === "number")
    ? `All tracks lie within ${figure(worst)} ms of one time line, `
      + `so any two within ${figure(2 * worst)} ms of each other.`
    : "";
  const badge = badgeOf(tracks);
  return element("details", { className: "certificate" },
    element("summary", { dataset: { state: badge.state }, textContent: badge.words }),
    element("section", { className: "card", "aria-label": "Certificate of alignment" },
      element("h2", { textContent: "How exactly the tracks lie" }),
      all ? element("p", { textContent: all }) : null,
      take.refinement ? element("p", { textContent: refinementWords(take.refinement) }) : null,
      element("div", { className: "certificate-picture", "aria-hidden": "true" },
        element("small", {}), element("small", { textContent: "the take, with what is missing" }),
          element("small", { className: "scale", textContent: badge.words.startsWith("Exactness") ? "not known" : `± ${reach} ms` }),
        ...tracks.flatMap((track) => [element("span",
          { className: `certificate-name track-${((track.number - 1) % 6) + 1}`, textContent: track.participant.name }),
          strip(track, length), whisker(track, reach)])),
      element("ul", { className: "certificate-words" }, ...tracks.map((track) =>
        element("li", {}, certificateWords(track, length), track.alignment?.basis
          ? element("small",
            { textContent: ` Measured by ${BASES[track.alignment.basis] ?? track.alignment.basis}.` }) : null))),
      tracks.some(({ lossless }) => lossless)
        ? element("ul", { className: "certificate-words" },
          ...tracks.flatMap(({ participant, lossless }) => (lossless ? [element("li", {
          textContent: `${participant.name}'s lossless copy fits the track with a correlation of ${figure(lossless.correlation, 3)}; `
            + `${figure(lossless.covered)} s are lossless, ${figure(lossless.filled)} s come from the network.`,
        })] : []))) : null));
}

