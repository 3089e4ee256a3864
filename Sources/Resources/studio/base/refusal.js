/** An error whose message is a sentence for people; `code` is for programs, `problem` what the server sent (RFC 9457). */
export class Refusal extends Error {
  constructor(code, message, problem = null) {
    super(message);
    this.code = code;
    this.problem = problem;
  }
}

/** The sentence for people: begins with a capital, ends with a full stop. */
export const sentence = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
