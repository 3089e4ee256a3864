// Session descriptions for music between browsers, whose own are for speech. Pure.

/** What Opus is to carry, as between a page and the service: stereo, 128 kbit/s, packets of 10 ms. */
const FORMAT = { stereo: 1, "sprop-stereo": 1, maxaveragebitrate: 128000, useinbandfec: 1, usedtx: 0, minptime: 10 };
const PACKET = 10;

/** The description with that for its audio; without Opus it stays as it is.
 * @param {string} sdp */
export function musical(sdp) {
  const opus = sdp.match(/^a=rtpmap:(\d+) opus\/48000/mi)?.[1];
  if (!opus) return sdp;
  const lines = sdp.split("\r\n"), format = new RegExp(`^a=fmtp:${opus} `);
  const own = (lines.find((line) => format.test(line)) ?? "").replace(format, "").split(";").filter(Boolean)
    .map((field) => field.trim().split("=")).filter(([name]) => !(name in FORMAT));
  const fields = [...own, ...Object.entries(FORMAT)].map((field) => field.join("=")).join(";");
  const rest = lines.filter((line) => !format.test(line) && !/^a=(max)?ptime:/.test(line));
  const place = rest.findIndex((line) => line.startsWith(`a=rtpmap:${opus} `)) + 1;
  return [...rest.slice(0, place), `a=fmtp:${opus} ${fields}`, `a=ptime:${PACKET}`, ...rest.slice(place)].join("\r\n");
}
