// Sending a file as a backing track. What the server cannot decode (AAC), this browser may: then it sends WAV.

import { path, request } from "../base/api.js";

/** Longest title, and the rate that the server keeps. */
const TITLE = 200;
const RATE = 48_000;

/** The title of a file: its name without its ending. Pure.
 * @param {string} name */
export const titleOf = (name) => [...name.replace(/\.[^.]*$/, "").replace(/\p{Cc}/gu, " ").trim()].slice(0, TITLE).join("") || "Backing track";

/** A WAV file of 16 bits, in stereo, of one or two planes of samples. Pure.
 * @param {Float32Array[]} planes */
export function waveFile(planes, rate = RATE) {
  const left = planes[0], right = planes[1] ?? left;
  const bytes = new DataView(new ArrayBuffer(44 + left.length * 4));
  /** @param {number} at @param {string} word */
  const text = (at, word) => [...word].forEach((letter, index) => bytes.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  bytes.setUint32(4, 36 + left.length * 4, true);
  text(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 2, true);
  bytes.setUint32(24, rate, true);
  bytes.setUint32(28, rate * 4, true);
  bytes.setUint16(32, 4, true);
  bytes.setUint16(34, 16, true);
  text(36, "data");
  bytes.setUint32(40, left.length * 4, true);
  /** @param {number} sample */
  const whole = (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
  for (let index = 0; index < left.length; index += 1) {
    bytes.setInt16(44 + index * 4, whole(left[index]), true);
    bytes.setInt16(46 + index * 4, whole(right[index]), true);
  }
  return bytes.buffer;
}

/** The file as WAV, or null if this browser cannot decode it either.
 * @param {File} file */
async function decoded(file) {
  try {
    const sound = await new OfflineAudioContext(2, 1, RATE).decodeAudioData(await file.arrayBuffer());
    const planes = Array.from({ length: Math.min(2, sound.numberOfChannels) }, (_, index) => sound.getChannelData(index));
    return waveFile(planes);
  } catch {
    return null;
  }
}

/** Adds a file to the room's backing tracks; returns what the server says of it. Throws a Refusal with the reason.
 * @param {string} room @param {File} file @returns {Promise<{ title: string }>} */
export async function addBacking(room, file) {
  const address = `${path("rooms", room, "backings")}?title=${encodeURIComponent(titleOf(file.name))}`;
  /** @param {BodyInit} body */
  const post = async (body) => (await request("POST", address, { headers: { "content-type": "application/octet-stream" }, body })).json();
  try {
    return await post(file);
  } catch (error) {
    const wave = /** @type {any} */ (error).code === "unusable-sound" ? await decoded(file) : null;
    if (!wave) throw error;
    return post(wave);
  }
}
