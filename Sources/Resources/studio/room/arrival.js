// Why sound does not arrive over a connection, and what to do about it. Pure: facts in, a sentence out.

/** Seconds that a connection may take; the quick ones take half of one. */
const PATIENCE = 3;
/** Addresses that a sentence names of each side, at most. */
const NAMED = 4;

const LOOPBACK = /^(127\.|::1$)/;
const isUp = (ice) => ice === "connected" || ice === "completed";

/** The UDP candidates of a description: [{address, port}] (RFC 8839, section 5.1). */
export function candidates(sdp) {
  return [...(sdp ?? "").matchAll(/^a=candidate:\S+ \d+ (\S+) \d+ (\S+) (\d+) typ /gm)]
    .filter(([, protocol]) => protocol.toLowerCase() === "udp")
    .map(([, , address, port]) => ({ address, port: Number(port) }));
}

/** "192.0.2.2, fd00::2 and a hidden one" */
function addresses(list) {
  const open = [...new Set(list.map(({ address }) => address).filter((address) => !address.endsWith(".local")))];
  const words = open.slice(0, NAMED);
  if (open.length > NAMED) words.push(`${open.length - NAMED} more`);
  if (list.some(({ address }) => address.endsWith(".local"))) words.push(words.length ? "a hidden one" : "a hidden address");
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];
}

/** "UDP port 40000", "UDP ports 40000 to 40010" */
function ports(list) {
  const numbers = list.map(({ port }) => port), low = Math.min(...numbers), high = Math.max(...numbers);
  return low === high ? `UDP port ${low}` : `UDP ports ${low} to ${high}`;
}

/** Why no path is found. */
function withoutPath({ wasUp, ours, theirs }) {
  if (!theirs.length) {
    return ["no-offer", "The service offers no address for sound. Its UDP ports may be used up: the operator can give it more (--ice-ports)"];
  }
  if (!ours.length) {
    return ["no-address", "This browser offers no address for sound. Connect this computer to a network, and switch off what "
      + "holds WebRTC back (a VPN, a privacy extension); Firefox never uses a computer's own loopback"];
  }
  if (theirs.every(({ address }) => LOOPBACK.test(address))) {
    return ["loopback", `The service takes sound on ${addresses(theirs)} alone, which no other computer reaches and Firefox never uses. `
      + "The operator can leave --ice-addresses away, or name there the address by which this computer reaches it"];
  }
  const between = `between this browser (${addresses(ours)}) and the service (${addresses(theirs)}, ${ports(theirs)})`;
  return wasUp
    ? ["path-lost", `The path ${between} is broken, and no other is found. Check your network; it comes back by itself`]
    : ["no-path", `No packet finds a way ${between}. A firewall or a VPN may hold UDP back: let these ports through. Where the service `
      + "is reached by another address, the operator can name that one (--ice-addresses), or a relay (--turn)"];
}

/** Why the packets of our microphone do not arrive though the connection stands. */
function outward({ packets, isEnded, isHeldBack, isMuted, arrives }) {
  if (isEnded) return ["microphone-gone", "Your microphone is gone. Plug it in again, then choose it under “Microphone …”"];
  if (isHeldBack) {
    return ["microphone-held", "Your system gives no sound of your microphone: it is switched off there or at the device, or another program "
      + "has it. Switch it on, or choose another one under “Microphone …”"];
  }
  if (packets === 0 && !isMuted) {
    return ["nothing-sent", "The connection stands, but this browser sends nothing. Choose your microphone anew under “Microphone …”"];
  }
  if (packets > 0 && !arrives) {
    return ["nothing-received", "This browser sends, and the service receives none of it. A firewall or a VPN may let single packets through "
      + "and hold sound back; try without it, or on another network"];
  }
  return null;
}

/**
 * `isOut`: our microphone's connection, else one by which `name` is heard; `waited`: seconds since it was last whole, or
 * wanted for the first time; `wasUp`: whether it ever was; `ice`, `connection`: its states in WebRTC's words; `ours`,
 * `theirs`: candidates; `packets`: since the last reading, null where none was made; `arrives`: the service receives what
 * the connection carries; of our microphone also `isMuted` (by its musician), `isHeldBack` (by the system), `isEnded`.
 *
 * Answers `{id, text}`, or null where sound arrives or it is too early to tell.
 */
export function trouble(facts) {
  const { isOut, name, waited, ice, connection, packets, arrives } = facts;
  const say = ([id, text]) => ({ id, text });
  if (ice === "failed") return say(withoutPath(facts));
  if (isUp(ice) && connection === "failed") {
    return say(["no-encryption", "The path to the service stands, but encryption on it (DTLS) failed. Load this page anew; if it stays so, something "
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
    return say(["nothing-heard", `The service hears ${name}, but nothing of it reaches this browser. A firewall or a VPN may hold sound back; `
      + "try without it"]);
  }
  return null;
}
