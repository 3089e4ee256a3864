// What is true of each musician at this instant: heard, recorded on the server, recorded here, muted, consenting, safe up
// to. Pure: facts in, words out. Every light, sentence, sign and counter of the room comes from here.
//
// The words of the server are `take`, `isStopped`, and of each member `consent`, `publishing`, `connected`, `muted`,
// `sound` (docs/protocol.md, sections 2 and 4). This page adds what it alone knows: its link, its microphone, its copy.

import { clock } from "../base/dom.js";

/** Seconds for which the sign may stay red without a word from the disk; the server speaks once a second. */
export const PATIENCE = 2;

/** @typedef {{id: string, number: number, song: {title: string} | null}} Take */
/** @typedef {{seconds: number, isOpen: boolean, problem: string | null}} Copy */
/**
 * @typedef {object} RoomFacts
 * @property {string} phase of the page's link: "joined", "reconnecting", "joining", "idle"
 * @property {"call" | "manual" | null} policy
 * @property {boolean} isStopped whether takes wait for a start though the room records by itself
 * @property {Take | null} take the rolling take
 * @property {number} rollsFor seconds since this page learned of the take
 * @property {number} safe seconds of the take that are on disk
 * @property {number | null} behind seconds played and not confirmed; null before the first confirmation
 * @property {boolean} isDegraded whether the server has said that it cannot write
 * @property {boolean} mayChange whether this page may run takes
 * @property {boolean} hasSound whether anybody who consents sends sound
 */
/**
 * @typedef {object} MusicianFacts
 * @property {"musician" | "listener"} role
 * @property {boolean} isMe
 * @property {boolean} consent
 * @property {boolean} publishing whether the server receives their sound
 * @property {boolean} connected
 * @property {"on" | "muted" | "talkback"} sound
 * @property {boolean} mutedByModerator
 * @property {boolean} isUp for me: whether my own connection for sound stands
 * @property {Copy | null} copy for me: the lossless copy of the rolling take
 */

/** Whether the disk has confirmed what is played, or has just been asked to.
 * @param {RoomFacts} room */
const isConfirmed = ({ behind, rollsFor }) => (behind === null ? rollsFor < PATIENCE : behind < PATIENCE);

/** "recording", "unsure", "stopped", "waiting" (begins by itself) or "idle".
 * @param {RoomFacts} facts */
export function roomState(facts) {
  const { phase, take, isStopped, policy, isDegraded } = facts;
  if (take) return phase === "joined" && !isDegraded && isConfirmed(facts) ? "recording" : "unsure";
  if (policy !== "call") return "idle";
  return isStopped || facts.hasSound ? "stopped" : "waiting";
}

/**
 * What is true of one musician: `heard` ("yes", "no", "muted", "talk", "unknown"), `server` ("sound", "silence", "none",
 * "unknown"), `here` (the same without "unknown"; null where this page keeps no copy), `safe` (seconds, null without a
 * take), `light` ({state, text}).
 * @param {RoomFacts} room @param {MusicianFacts} musician
 */
export function musicianTruth(room, musician) {
  const { role, isMe, consent, publishing, connected, sound, mutedByModerator, copy } = musician;
  const isListener = role === "listener", isLost = room.phase !== "joined";
  const isTalk = sound === "talkback" && !mutedByModerator, isMuted = mutedByModerator || sound === "muted";
  const isRecorded = room.take && consent && !isListener;
  const isSilent = isMuted || sound === "talkback";
  const keeps = isMe && isRecorded && copy?.isOpen && !copy.problem;
  return {
    heard: isListener ? "no" : isLost ? "unknown" : isMuted ? "muted" : !publishing || !connected ? "no" : isTalk ? "talk" : "yes",
    server: !isRecorded ? "none" : isLost ? "unknown" : !publishing ? "none" : isSilent ? "silence" : "sound",
    here: keeps ? (isSilent ? "silence" : "sound") : isMe && copy ? "none" : null,
    muted: isMuted, consents: consent, safe: isRecorded ? room.safe : null,
    light: isListener ? null : light(room, { ...musician, isTalk, isMuted }),
  };
}

/** The light of a musician. "safe" alone says that their sound is on disk.
 * @param {RoomFacts} room @param {MusicianFacts & { isTalk: boolean, isMuted: boolean }} musician */
function light(room, { consent, publishing, isTalk, isMuted }) {
  /** @param {string} state @param {string} text */
  const say = (state, text) => ({ state, text });
  if (!consent) return say("none", "Heard, never recorded");
  switch (roomState(room)) {
    case "stopped": return say("none", "Not recorded: stopped");
    case "waiting": return say("none", "Recorded from the first sound on");
    case "idle": return say("none", "Not recorded: no take is rolling");
  }
  if (room.phase !== "joined") return say("wait", `Unknown since the link was lost; on disk up to ${clock(room.safe)}`);
  if (room.isDegraded) return say("late", `The disk takes nothing; on disk up to ${clock(room.safe)}`);
  if (!publishing) return say("wait", "No sound arrives");
  if (!isConfirmed(room)) {
    return room.behind === null ? say("wait", "Waiting for the disk") : say("late", `Not on disk since ${clock(room.safe)}`);
  }
  if (isTalk) return say("muted", "Talks to the room: silence is recorded");
  if (isMuted) return say("muted", "Muted: silence is recorded");
  return room.behind === null ? say("wait", "Waiting for the disk") : say("safe", "Safe on disk");
}

/** The sign in the header of every view: {state, text, counter}; the counter stands still without the disk.
 * @param {RoomFacts} room @param {string} title */
export function signTruth(room, title) {
  const state = roomState(room), { safe, behind, take } = room;
  switch (state) {
    case "recording": return { state, text: `Recording · ${title}`, counter: behind === null ? null : safe + behind };
    case "unsure": return { state, text: room.phase === "joined" ? `Not confirmed · ${title}` : `Link lost · ${title}`, counter: take ? safe : null };
    case "stopped": return { state, text: "Stopped: not recording", counter: null };
    case "waiting": return { state, text: "Ready: records with the first sound", counter: null };
    default: return { state, text: "Not recording", counter: null };
  }
}

/** What the room says below its buttons.
 * @param {RoomFacts} room */
export function roomSentence(room) {
  const { take, safe, behind, mayChange } = room, state = roomState(room);
  const start = mayChange ? "Press R or Start to record." : "A musician has to start the next take.";
  switch (state) {
    case "stopped": return `Stopped. Nothing is recorded until somebody starts a take. ${start}`;
    case "waiting": return "Nothing is recorded yet. A take begins by itself with the first sound.";
    case "idle": return `Nothing is recorded. ${start}`;
    case "recording": return behind === null ? "The take begins …" : `On disk up to ${clock(safe)}.`;
  }
  if (room.phase !== "joined") return `No link to the server. On disk up to ${clock(safe)}, as far as this page knows.`;
  if (room.isDegraded) return `The server cannot write at present. On disk up to ${clock(safe)}.`;
  const since = behind === null ? "yet" : `for the last ${Math.round(behind)} seconds`;
  return take && safe > 0 ? `On disk up to ${clock(safe)}; no confirmation ${since}.` : "The server has not confirmed anything of this take yet.";
}

/** The state in one word, for everybody in the room; shape and colour go by `state`.
 * @type {Record<string, string>} */
export const STATE_WORDS = { recording: "REC", unsure: "NOT SAVED", stopped: "STOPPED", waiting: "READY", idle: "NOT RECORDING" };

/** One line for the whole room: "All three safe to 0:31 · Cy is muted"; without a kept take what the room says.
 * @param {RoomFacts} room @param {{ name: string, facts: MusicianFacts }[]} everybody */
export function bandSentence(room, everybody) {
  if (roomState(room) !== "recording" || room.behind === null) return roomSentence(room);
  const players = everybody.filter(({ facts }) => facts.role === "musician");
  const consenting = players.filter(({ facts }) => facts.consent), kept = consenting.filter(({ facts }) => facts.publishing);
  const names = kept.map(({ name }) => name), last = names.at(-1);
  const who = !last ? "On disk" : kept.length < consenting.length ? `${names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last} safe`
    : ["", "Safe", "Both safe", "All three safe"][kept.length] ?? `All ${kept.length} safe`;
  const others = players.map(({ name, facts }) => {
    const { heard } = musicianTruth(room, facts);
    if (!facts.consent) return `${name} is not recorded`;
    if (!facts.publishing) return `nothing arrives from ${name}`;
    return heard === "muted" ? `${name} is muted` : heard === "talk" ? `${name} talks` : null;
  });
  return [`${who} to ${clock(room.safe)}`, ...others].filter(Boolean).join(" · ");
}

/** What an outage means, or "" without one. `me`: as for `musicianTruth`, null for a listener.
 * @param {RoomFacts} room @param {MusicianFacts | null} me @param {string} lostAt */
export function outageSentence(room, me, lostAt) {
  if (room.phase !== "reconnecting") return "";
  const lost = `The link to the server has been lost since ${lostAt}; this page keeps trying.`;
  if (!me || me.role === "listener") return lost;
  if (!room.take) return `${lost} No take was rolling.`;
  const words = [lost, `The server's disk has this take up to ${clock(room.safe)}; what came later is not known here.`];
  const { here } = musicianTruth(room, me);
  if (!me.consent) return `${lost} You are not recorded, as you wished.`;
  words.push(me.isUp ? "Your sound connection still stands, but nobody confirms what arrives."
    : "Your sound does not reach the server: the others do not hear you, and it does not record you.");
  if (here === "sound") words.push("This browser goes on with your lossless copy.");
  else if (here === "silence") words.push("You are muted: your copy here is silent.");
  else words.push("No copy is kept here.");
  return words.join(" ");
}
