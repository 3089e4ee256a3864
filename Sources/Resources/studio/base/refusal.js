/**
 * An error with a sentence for people as its message; `code` is for programs, `problem` is the server's (RFC 9457).
 * `retryAfter`: seconds after which another attempt makes sense, null if the server named none.
 */
export class Refusal extends Error {
  /** @param {string} code @param {string} message @param {{ problem?: Problem | null, retryAfter?: number | null }} details */
  constructor(code, message, { problem = null, retryAfter = null } = {}) {
    super(message);
    this.code = code;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed later. */
  get isPassing() { return /^(unavailable|rate-limited|http-(429|5..))$/.test(this.code); }
}

/** Capitalizes a sentence and ends it with a full stop.
 * @param {string} text */
export const sentence = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
