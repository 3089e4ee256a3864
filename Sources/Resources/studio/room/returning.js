// Coming in and coming back: how often and for how long a page tries, and when it gives up.

/** Pauses between attempts, in milliseconds; the last is repeated. */
const BACK_OFF = [300, 700, 1500, 3000, 5000, 8000];
/** How long a page tries to come back before it asks the musician. */
const PATIENCE = 120_000;

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Why the server has ended a stay for good (base/states.js); undefined where the link is to be opened again.
 * @param {number} code @param {string} reason @returns {string | undefined} */
export const partingOf = (code, reason) => (reason === "room-closed" ? reason
  : code === 4001 ? "replaced" : code === 4002 ? "removed" : code === 4003 ? "expired" : code === 1008 ? "not-understood" : undefined);

/** @param {number} attempt */
const backOff = (attempt) => BACK_OFF[Math.min(attempt, BACK_OFF.length - 1)];

/**
 * Joins. A page that has a seat waits as long as the server asks it to: the seat is kept meanwhile.
 * @param {object} ways
 * @param {() => Promise<unknown>} ways.enter
 * @param {() => void} ways.drop gives up the link of a failed attempt
 * @param {boolean} ways.hasSeat
 * @param {() => boolean} ways.isWanted whether the musician still waits
 */
export async function comeIn({ enter, drop, hasSeat, isWanted }) {
  const started = Date.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      await enter();
      return;
    } catch (/** @type {any} */ error) {
      const wait = error.retryAfter ? 1000 * error.retryAfter : backOff(attempt);
      if (!hasSeat || !error.isPassing || Date.now() - started + wait > PATIENCE) throw error;
      drop();
      await pause(wait);
      if (!isWanted()) throw error;
    }
  }
}

/**
 * Comes back after the link was lost. Returns null, or why it is hopeless.
 * @param {object} ways
 * @param {() => Promise<unknown>} ways.enter
 * @param {() => void} ways.drop as for `comeIn`
 * @param {() => boolean} ways.isWaiting whether the page is still to come back
 * @param {() => boolean} ways.isMine false once the musician has left, or the link broke anew and another turn has begun
 * @returns {Promise<string | null>}
 */
export async function comeBack({ enter, drop, isWaiting, isMine }) {
  const started = Date.now();
  /** @type {string | null} */
  let problem = null;
  let retryAfter = 0;
  for (let attempt = 0; Date.now() - started + 1000 * retryAfter < PATIENCE; attempt += 1) {
    const wait = backOff(attempt) * (0.8 + 0.4 * Math.random());
    const online = new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    // A server that named a time refuses everything before it, over every network.
    await (retryAfter ? pause(Math.max(wait, 1000 * retryAfter)) : Promise.race([pause(wait), online]));
    if (!isWaiting()) return null;
    try {
      await enter();
      return null;
    } catch (/** @type {any} */ error) {
      if (!isMine()) return null;
      problem = error.code === "unavailable" ? null : `You could not come back: ${error.message}`;
      if (!error.isPassing) break;
      retryAfter = error.retryAfter ?? 0;
      drop();
    }
  }
  return problem ?? "The server could not be reached for two minutes. Check the network, then join again.";
}
