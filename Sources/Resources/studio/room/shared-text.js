import { merge } from "./merge.js";

/** Versions that are remembered: so many messages may be on their way to somebody who writes. */
const HISTORY = 100;

/**
 * A text that several people write at once, in one slot of a shared object. Pure: messages in, messages out.
 *
 * The server tells everybody of all writes in one order, and keeps the last one. A write says on which version it builds
 * (`parent`); where another one came between, everybody merges the two in the same way, so that all have the same text, and
 * whoever wrote last writes the merged text once more, for the slot.
 */
export class SharedText {
  /** What the field holds, with what has not been sent yet. */
  text = "";
  #agreed = "";
  #stored = "";
  #version = 0;
  #history = new Map();
  /** What was sent and is not confirmed: as it was sent, but on what was agreed on since. */
  #sent = null;

  /** Begins anew with everything that the object holds; what was written here and never sent is kept. */
  begin(value, version) {
    const before = this.#agreed;
    this.#sent = null;
    this.#agree(typeof value?.text === "string" ? value.text : "", version);
    this.#stored = this.#agreed;
    return this.#rebase(before, 0);
  }

  /** The field was edited. */
  edit(text) { this.text = text; }

  /** What is to be written now, or null: nothing is new, or an answer is waited for. */
  next() {
    if (this.#sent !== null || this.text === this.#stored) return null;
    this.#sent = this.text;
    return { text: this.text, parent: this.#version };
  }

  /** What was sent was refused or lost; it is new again. */
  failed() { this.#sent = null; }

  /** A write came in the server's order; answers where a caret in the field goes. */
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
    // Whose write came between writes the merged text: not everybody who saw it.
    if (this.#sent === null && this.text === this.#agreed) this.#stored = this.#agreed;
    return moved;
  }

  #agree(text, version) {
    this.#agreed = text;
    this.#version = version;
    this.#history.set(version, text);
    if (this.#history.size > HISTORY) this.#history.delete(this.#history.keys().next().value);
  }

  #rebase(from, caret) {
    const merged = merge(from, this.text, this.#agreed, caret);
    this.text = merged.text;
    return merged.caret;
  }
}
