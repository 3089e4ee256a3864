// Collects the facts of which playing/truth.js makes words: from the studio, its microphone and its lossless copies.

import { backups } from "../backup/backups.js";
import { takeTitle } from "../base/header-words.js";
import { MICROPHONE } from "../room/sound.js";
import { bandSentence, musicianTruth, outageSentence, signTruth } from "./truth.js";

const seconds = () => performance.now() / 1000;
/** Seconds that a take may need to begin after the first sound. */
const BEGINNING = 2;

/** @returns {import("./truth.js").RoomFacts}
 * @param {RoomState} studio */
export function roomFacts(studio, now = seconds()) {
  const { phase, policy, take, safety } = studio;
  return {
    phase, policy: policy?.recording ?? null, isStopped: studio.isStopped, take, mayChange: studio.mayChange,
    rollsFor: take ? now - studio.tookUpAt : 0,
    safe: safety.position, behind: safety.behind(now), isDegraded: studio.isDegraded,
    hasSound: studio.soundSince !== null && now - studio.soundSince > BEGINNING,
  };
}

/** @returns {import("./truth.js").MusicianFacts | null}
 * @param {RoomState} studio @param {string | null} id */
export function musicianFacts(studio, id) {
  const member = id === null ? null : studio.members.get(id), isMe = id === studio.participant;
  if (!member) return null;
  const copy = isMe && studio.take && studio.options?.backup && backups.isPossible ? backups.of(studio.take.id) : null;
  return {
    role: member.role, isMe, consent: member.consent, publishing: member.publishing, connected: member.connected,
    mutedByModerator: member.muted === true, copy: copy ?? null,
    // My own state is known here before the server has heard of it.
    sound: !isMe ? member.sound ?? "on" : studio.talkback.state !== "off" ? "talkback" : studio.own.isMuted ? "muted" : "on",
    isUp: isMe && studio.sound?.peers.get(MICROPHONE)?.connection.connectionState === "connected",
  };
}

/** @param {RoomState} studio @param {string} id */
export const truthOf = (studio, id) => {
  const facts = musicianFacts(studio, id);
  return facts && musicianTruth(roomFacts(studio), facts);
};

/** @param {RoomState} studio */
export const signOf = (studio) => signTruth(roomFacts(studio), studio.take ? takeTitle(studio.take) : "");

/** One line about everybody in the room.
 * @param {RoomState} studio */
export function bandOf(studio) {
  const everybody = [...studio.members].flatMap(([id, { participant }]) => {
    const facts = musicianFacts(studio, id);
    return facts ? [{ name: participant.name, facts }] : [];
  });
  return bandSentence(roomFacts(studio), everybody);
}

/** What an outage means for this page, "" without one.
 * @param {RoomState} studio */
export function outageOf(studio) {
  const at = studio.lostAt === null ? "" : new Date(performance.timeOrigin + 1000 * studio.lostAt).toLocaleTimeString();
  return outageSentence(roomFacts(studio), musicianFacts(studio, studio.participant), at);
}
