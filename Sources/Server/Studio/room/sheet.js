// The sheet: words and chords that all in the room write together; it stays with the room.

import { element, setText } from "../base/dom.js";
import { sentence } from "../base/refusal.js";
import { merge } from "./merge.js";

/** Milliseconds that writing rests before it is sent. */
const REST = 300;
/** The slot of the shared object, and the most that a value may hold, in bytes of UTF-8 (docs/protocol.md section 6). */
const SLOT = "text";
const MOST = 200_000;

export function openSheet(place, studio) {
  const object = studio.object("sheet", true);
  const field = element("textarea", {
    id: "sheet", rows: 9, spellcheck: false, placeholder: "Dm7  G7  Cmaj7 …\nWhat is written here, everybody sees.", "aria-labelledby": "sheet-title",
  });
  const state = element("p", { className: "facts", role: "status" });
  place.append(field, state);
  /** What the server holds as far as we know; what is in the field beyond that has not been sent yet. */
  let base = String(object.slots.get(SLOT) ?? "");
  let timer = null, sending = null;
  field.value = base;

  const send = async () => {
    timer = null;
    if (sending || field.value === base) return;
    const text = field.value;
    if (new TextEncoder().encode(text).length > MOST) return setText(state, "The sheet is too long to be shared; shorten it.");
    sending = text;
    try {
      await object.set({ [SLOT]: text });
      setText(state, "");
    } catch (error) {
      setText(state, sentence(`Not shared yet: ${error.message}`));
    }
    sending = null;
    if (field.value !== base) schedule();
    return undefined;
  };
  const schedule = () => { timer ??= setTimeout(send, REST); };
  const receive = () => {
    const theirs = String(object.slots.get(SLOT) ?? "");
    if (theirs === base) return;
    if (theirs === sending) {
      // Our own, confirmed; what was written since is sent next.
      base = theirs;
      return;
    }
    const { text, caret } = merge(base, field.value, theirs, field.selectionStart);
    base = theirs;
    if (text === field.value) return;
    const isMine = document.activeElement === field;
    field.value = text;
    if (isMine) field.setSelectionRange(caret, caret);
    if (text !== theirs) schedule();
  };
  field.addEventListener("input", schedule);
  object.addEventListener("change", receive);
  return {
    close: () => {
      clearTimeout(timer);
      if (timer !== null) send();
      object.removeEventListener("change", receive);
    },
  };
}
