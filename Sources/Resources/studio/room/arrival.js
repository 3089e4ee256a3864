// Explains why no sound arrives over a connection and what to do about it. Pure: facts in, a sentence out.

/** Seconds that a connection may take; a quick one takes half a second. */
const PATIENCE = 3;
/** Most addresses of each side that a sentence names. */
const NAMED = 4;

/** @typedef {{ address: string, port: number }} Address */
/** @typedef {[id: string, text: string]} Finding */
/**
 * @typedef {object} Facts as `trouble` describes them
 * @property {boolean} isOut
 * @property {string} name
 * @property {number} waited
 * @property {boolean | undefined} wasUp
 * @property {string} ice
 * @property {string} connection
 * @property {Address[]} ours
 * @property {Address[]} theirs
 * @property {number | null} packets
 * @property {boolean} arrives
 * @property {boolean} [isMuted]
 * @property {boolean} [isHeldBack]
 * @property {boolean} [isEnded]
 */

const LOOPBACK = /^(127\.|::1$)/;
/** @param {string} ice */
const isUp = (ice) => ice === "connected" || ice === "completed";

/** The UDP candidates of a description: [{address, port}] (RFC 8839, section 5.1).
 * @param {string | undefined} sdp */
export function candidates(sdp) {
  return [...(sdp ?? "").matchAll(/^a=candidate:\S+ \d+ (\S+) \d+ (\S+) (\d+) typ /gm)]
    .filter(([, protocol]) => protocol.toLowerCase() === "udp")
    .map(([, , address, port]) => ({ address, port: Number(port) }));
}

/** "192.0.2.2, fd00::2 and a hidden one"
 * @param {Address[]} list */
function addresses(list) {
  const open = [...new Set(list.map(({ address }) => address).filter((address) => !address.endsWith(".local")))];
  const words = open.slice(0, NAMED);
  if (open.length > NAMED) words.push(`${open.length - NAMED} more`);
  if (list.some(({ address }) => address.endsWith(".local"))) words.push(words.length ? "a hidden one" : "a hidden address");
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];
}

/** "UDP port 40000", "UDP ports 40000 to 40010"
 * @param {Address[]} list */
function ports(list) {
  const numbers = list.map(({ port }) => port), low = Math.min(...numbers), high = Math.max(...numbers);
  return low === high ? `UDP port ${low}` : `UDP ports ${low} to ${high}`;
}

/** Why no path is found.
 * @param {Facts} facts @returns {Finding} */
function withoutPath({ wasUp, ours, theirs }) {
  if (!theirs.length) {
    return ["no-offer", "The service offers no address for sound. Its UDP ports may be used up: the operator can give it more (--ice-ports)"];
  }
  if (!ours.length) {
    return ["no-address", "This browser offers no address for sound. Connect this computer to a network, and switch off what "
      + "blocks WebRTC (a VPN, a privacy extension); Firefox never uses a computer's own loopback"];
  }
  if (theirs.every(({ address }) => LOOPBACK.test(address))) {
    return ["loopback", `The service accepts sound on ${addresses(theirs)} alone, which no other computer can reach and Firefox never uses. `
      + "The operator can omit --ice-addresses, or set it to an address that this computer can reach"];
  }
  const between = `between this browser (${addresses(ours)}) and the service (${addresses(theirs)}, ${ports(theirs)})`;
  return wasUp
    ? ["path-lost", `The path ${between} is broken, and there is no other. Check your network; the sound comes back by itself`]
    : ["no-path", `No packet gets through ${between}. A firewall or a VPN may block UDP: open these ports. If the service has `
    + "another public address, the operator can set it (--ice-public-address), or add a relay (--turn)"];
}

/** Why the packets of our microphone do not arrive though the connection stands.
 * @param {Facts} facts @returns {Finding | null} */
function outward({ packets, isEnded, isHeldBack, isMuted, arrives }) {
  if (isEnded) return ["microphone-gone", "Your microphone is gone. Plug it in again, then choose it under “Microphone …”"];
  if (isHeldBack) {
    return ["microphone-held", "Your system delivers no sound from your microphone: it is switched off in the system or on the device, or another "
    + "program uses it. Switch it on, or choose another one under “Microphone …”"];
  }
  if (packets === 0 && !isMuted) {
    return ["nothing-sent", "The connection stands, but this browser sends nothing. Choose your microphone again under “Microphone …”"];
  }
  if (packets && !arrives) {
    return ["nothing-received", "This browser sends sound, but the service receives none. A firewall or a VPN may pass single packets "
    + "and block sound; try without it, or on another network"];
  }
  return null;
}

/**
 * `isOut`: our microphone's connection, otherwise the one that carries `name`. `waited`: seconds since it last worked, or
 * since it was first requested. `wasUp`: whether it ever worked. `ice`, `connection`: its states as WebRTC names them.
 * `ours`, `theirs`: candidates. `packets`: packets since the last reading, null before the first one. `arrives`: whether
 * the service receives the sound. For our microphone also `isMuted` (by its musician), `isHeldBack` (by the system) and
 * `isEnded`.
 *
 * Returns `{id, text}`, or null if sound arrives or it is too early to tell.
 * @param {Facts} facts
 */
export function trouble(facts) {
  const { isOut, name, waited, ice, connection, packets, arrives } = facts;
  /** @param {Finding} finding */
  const say = ([id, text]) => ({ id, text });
  if (ice === "failed") return say(withoutPath(facts));
  if (isUp(ice) && connection === "failed") {
    return say(["no-encryption", "The path to the service stands, but encryption on it (DTLS) failed. Reload this page; if that does not help, something "
    + "between you and the service answers in its place (a VPN, a proxy)"]);
  }
  if (waited < PATIENCE) return null;
  if (!isUp(ice)) return say(withoutPath(facts));
  if (connection !== "connected") {
    return say(["slow-encryption", "The path to the service stands, but encryption on it (DTLS) gets no answer. Larger packets may be lost "
      + "on the way, as some VPNs do; try without it"]);
  }
  if (isOut) {
    const found = outward(facts);
    return found && say(found);
  }
  if (packets === 0 && arrives) {
    return say(["nothing-heard", `The service hears ${name}, but none of the sound reaches this browser. A firewall or a VPN may block it; `
      + "try without it"]);
  }
  return null;
}
