/** An error with a sentence for people as its message; `code` is for programs, `problem` is the server's (RFC 9457). */
export class Refusal extends Error {
  constructor(code, message, problem = null) {
    super(message);
    this.code = code;
    this.problem = problem;
  }
}

/** Capitalizes a sentence and ends it with a full stop. */
export const sentence = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
