// How long the session has lasted. Its identifier says when it began (a ULID: 48 bits of milliseconds since 1970, in
// Crockford's base 32), so that every page and every reload shows the same.

import { clock, element, setText } from "../base/dom.js";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Milliseconds since 1970 of a ULID, or null for anything else. Pure.
 * @param {string | null} id */
export function beganAt(id) {
  if (!id || !/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return null;
  return [...id.slice(0, 10)].reduce((sum, digit) => 32 * sum + DIGITS.indexOf(digit), 0);
}

/** @param {RoomState} studio */
export function sessionClock(studio) {
  const time = element("time", { className: "session-clock", title: "Since the first musician came in" });
  const tick = () => {
    const began = beganAt(studio.session);
    setText(time, began === null ? "" : `Session ${clock((Date.now() - began) / 1000)}`);
  };
  const timer = setInterval(tick, 1000);
  tick();
  return { element: time, close: () => clearInterval(timer) };
}
