import { merge } from "./merge.js";

/** Versions kept: the most messages that may be on their way to a writer. */
const HISTORY = 100;

/**
 * A text that several people write at once, in one slot of a shared object. Pure: messages in, messages out.
 *
 * The server sends all writes to everybody in one order and keeps the last one. A write names the version that it builds
 * on (`parent`). If another write came between, every page merges the two in the same way, so that all have the same
 * text. The page with the last write then writes the merged text once more, for the slot.
 */
export class SharedText {
  /** The text of the field, including unsent edits. */
  text = "";
  #agreed = "";
  #stored = "";
  #version = 0;
  /** @type {Map<number, string>} */
  #history = new Map();
  /** The text sent but not confirmed, rebased onto the text agreed on since.
   * @type {string | null} */
  #sent = null;

  /** Restarts from the object's present value; unsent edits are kept.
   * @param {any} value @param {number} version */
  begin(value, version) {
    const before = this.#agreed;
    this.#sent = null;
    this.#agree(typeof value?.text === "string" ? value.text : "", version);
    this.#stored = this.#agreed;
    return this.#rebase(before, 0);
  }

  /** The field was edited.
   * @param {string} text */
  edit(text) { this.text = text; }

  /** The value to write now; null if nothing is new or an answer is still pending. */
  next() {
    if (this.#sent !== null || this.text === this.#stored) return null;
    this.#sent = this.text;
    return { text: this.text, parent: this.#version };
  }

  /** Marks the last write as unsent again, after it was refused or lost. */
  failed() { this.#sent = null; }

  /** Takes in a write in the server's order; returns the new place of a caret in the field.
   * @param {any} value @param {number} version @param {boolean} isOwn @param {number} [caret] */
  receive(value, version, isOwn, caret = 0) {
    const written = typeof value?.text === "string" ? value.text : "", before = this.#agreed;
    const base = this.#history.get(value?.parent);
    const isNext = base === undefined || value.parent === this.#version;
    this.#agree(isNext ? written : merge(base, before, written).text, version);
    this.#stored = written;
    if (isOwn) {
      const sent = this.#sent ?? before;
      this.#sent = null;
      return this.#rebase(sent, caret);
    }
    if (this.#sent !== null) this.#sent = merge(before, this.#sent, this.#agreed).text;
    const moved = this.#rebase(before, caret);
    // Only the writer of the intervening text writes the merged text, not every page that saw it.
    if (this.#sent === null && this.text === this.#agreed) this.#stored = this.#agreed;
    return moved;
  }

  /** @param {string} text @param {number} version */
  #agree(text, version) {
    this.#agreed = text;
    this.#version = version;
    this.#history.set(version, text);
    if (this.#history.size > HISTORY) this.#history.delete(this.#history.keys().next().value);
  }

  /** @param {string} from @param {number} caret */
  #rebase(from, caret) {
    const merged = merge(from, this.text, this.#agreed, caret);
    this.text = merged.text;
    return merged.caret;
  }
}
