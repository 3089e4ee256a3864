// What this page measures, for the recorder and for the others: its clock, playout delays, and how late sound gets through.

import { trouble } from "../room/arrival.js";
import { MICROPHONE } from "../room/sound.js";
import { delayAdvice, pairDelay } from "./delay.js";
import { Strain } from "./strain.js";

const strain = new Strain();

/** Packet length plus the encoder's look-ahead, in milliseconds: the delay of our sound before it is sent. */
const PACKET = 10;
const ENCODER = 6.5;
/** How long a ping may stay unanswered before the link counts as lost, in milliseconds: a vanished network sends no close. */
const SILENCE = 6000;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Reports once; "lost" if the server does not answer, else nothing. Our delays go into the shared object `delays`.
 * @param {RoomState} studio @param {Link} link */
export async function report(studio, link) {
  const sent = performance.now();
  const answer = await Promise.race([link.request("ping", { t: sent }), pause(SILENCE).then(() => "lost")]);
  if (answer === "lost") return answer;
  const roundTrip = performance.now() - sent;
  /** @type {Record<string, number>} */
  const playout = {};
  /** @type {Record<string, number>} */
  const hear = {};
  /** @type {Record<string, number>} */
  const trips = {};
  /** @type {Record<string, number>} */
  const direct = {};
  /** @type {Record<string, number>} */
  const buffers = {};
  studio.serverClock.sample(sent, sent + roundTrip, answer.serverTime);
  for (const [id, quality] of studio.sound?.quality ?? []) {
    if (id === MICROPHONE || quality.buffer === null) continue;
    playout[id] = buffers[id] = quality.buffer;
    if (studio.sound?.route(id) === "direct") {
      if (quality.roundTrip === null) continue;
      trips[id] = quality.roundTrip;
      direct[id] = quality.buffer + quality.roundTrip / 2;
    } else {
      hear[id] = quality.buffer + (quality.roundTrip ?? roundTrip) / 2;
    }
  }
  const health = healthOf(studio);
  await link.request("stats", {
    clock: { t: performance.timeOrigin + sent + roundTrip / 2, serverTime: answer.serverTime, roundTrip }, playout, ...(Object.keys(trips).length ? { direct: trips } : {}), ...(health ? { health } : {}),
  });
  const out = studio.sound?.quality.get(MICROPHONE);
  const capture = 1000 * (studio.microphone?.settings.latency ?? 0.01);
  const leave = studio.microphone ? capture + PACKET + ENCODER : null;
  const way = (out?.roundTrip ?? roundTrip) / 2, send = leave === null ? null : leave + way;
  if (studio.authority === "musician" && studio.participant) await studio.delays?.set({
    [studio.participant]: { send, hear, leave, direct, device: studio.microphone ? capture : null, way, buffers, isBusy: strain.isBusy(), clippings: studio.microphone?.clippings ?? 0 },
  });
  return undefined;
}

/** What reaches us from the others, together; nothing while nobody is heard.
 * @param {RoomState} studio */
export function healthOf(studio) {
  const heard = [...studio.sound?.quality ?? []].filter(([id, { packets }]) => id !== MICROPHONE && packets > 0).map(([, quality]) => quality);
  if (!heard.length) return null;
  const sum = (/** @type {"packets" | "lost"} */ name) => heard.reduce((all, quality) => all + quality[name], 0);
  const { roundTrip } = studio.sound?.quality.get(MICROPHONE) ?? {};
  return {
    received: sum("packets"), lost: sum("lost"), jitter: Math.max(...heard.map(({ jitter }) => jitter ?? 0)),
    ...(typeof roundTrip === "number" ? { roundTrip } : {}),
  };
}

/**
 * Milliseconds from a musician's microphone to our ears and from ours to theirs, estimated from the measurements of
 * both pages (half of each round trip, buffers, packet, encoder): {toUs, toThem}, null before a page has reported.
 * @param {RoomState} studio @param {string} id
 */
export function delayOf(studio, id) {
  const me = studio.participant ?? "", ours = studio.delays?.slots.get(me), theirs = studio.delays?.slots.get(id);
  /** @param {number | null | undefined} send @param {number | undefined} hear */
  const sum = (send, hear) => (send === null || send === undefined || hear === undefined ? null : send + hear);
  /** Directly, the way to the service is no part of it.
   * @param {DelaySlot | undefined} from @param {DelaySlot | undefined} to @param {string} heard */
  const way = (from, to, heard) => sum(from?.leave, to?.direct?.[heard]) ?? sum(from?.send, to?.hear?.[heard]);
  return { toUs: way(theirs, ours, id), toThem: way(ours, theirs, me) };
}

/** What makes a late pair late, and what helps: a sentence, or "" for a pair that is not late, or without a cause.
 * @param {RoomState} studio @param {string} id */
export function adviceOf(studio, id) {
  const ways = delayOf(studio, id), me = studio.participant ?? "";
  if (pairDelay(ways)?.word !== "late") return "";
  // The slower direction is what both wait for.
  const [from, to] = (ways.toUs ?? -1) >= (ways.toThem ?? -1) ? [id, me] : [me, id];
  const sender = studio.delays?.slots.get(from), hearer = studio.delays?.slots.get(to);
  const buffer = hearer?.buffers?.[from] ?? null, direct = hearer?.direct?.[from], heard = hearer?.hear?.[from];
  const rest = (direct ?? heard ?? 0) - (buffer ?? 0);
  const parts = { device: sender?.device ?? null, way: direct === undefined ? (sender?.way ?? 0) + rest : rest, buffer, isBusy: hearer?.isBusy === true };
  /** @param {string} who */
  const name = (who) => (who === me ? "you" : studio.nameOf(who) ?? "the other");
  return delayAdvice(parts, { from: name(from), to: name(to), isDirect: direct !== undefined }) ?? "";
}

/** Why a musician's sound does not reach us, or ours the service, as `{id, text}`; null if sound arrives.
 * @param {RoomState} studio @param {string} id */
export function troubleOf(studio, id) {
  const member = studio.members.get(id), isOut = id === studio.participant;
  if (studio.phase !== "joined" || !member) return null;
  const facts = studio.sound?.facts(isOut ? MICROPHONE : id);
  if (!facts) return null;
  const track = studio.microphone?.track;
  return trouble({
    ...facts, isOut, name: member.participant.name, arrives: member.publishing, isMuted: studio.isSilent,
    isHeldBack: track?.muted === true, isEnded: track?.readyState === "ended",
  });
}
