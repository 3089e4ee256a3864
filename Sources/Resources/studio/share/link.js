// The link of this page, "/s/…", and what it opens.

import { read, send } from "../base/api.js";

/** The link's own address, without what follows its secret. */
export const address = location.pathname.split("/").slice(0, 3).join("/");

/** The take as visitors see it (docs/rest.md, section 12). */
export const describe = () => read(`${address}/take`);

/** Where the music suffered.
 * @returns {Promise<{ tracks: SharedConnection[] }>} */
export const describeQuality = () => read(`${address}/quality`);

/** @param {string} password */
export const givePassword = (password) => send("POST", `${address}/password`, { password });

/** @param {SharedCue} comment */
export const leaveComment = (comment) => send("POST", `${address}/comments`, comment);

/** Opus in Ogg, a tenth of FLAC's bytes; not every browser plays it. */
const playsOpus = () => Boolean(document.createElement("audio").canPlayType('audio/ogg; codecs="opus"'));

/** What there is to hear: [{label, sound, light, peaks}]; the mix comes first. `light` is null or a smaller file.
 * @param {SharedTake} take @returns {SharedSound[]} */
export function sounds({ mix, light, tracks }) {
  /** @param {string} part @param {string} name */
  const of = (part, name) => ({ sound: `${address}/${part}${name}`, peaks: `${address}/${part ? `${part}peaks` : "peaks"}` });
  return [
    ...(mix ? [{ label: "Everybody", light: light && playsOpus() ? `${address}/light` : null, ...of("", "mix") }] : []),
    ...tracks.map(({ id, name, part }) => ({ label: part ? `${name} (${part})` : name, track: id, ...of(`tracks/${id}/`, "audio") })),
  ];
}

/** @param {SharedTake} take */
export const takeTitle = ({ title, number }) => title ?? `Take ${number}`;

/** "Ada (piano), Bob"
 * @param {SharedTake} take */
export const musicianNames = ({ musicians }) =>
  musicians.map(({ name, part }) => (part ? `${name} (${part})` : name)).join(", ");
