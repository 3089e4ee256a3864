// The sheet: words and chords that the members of a room write together; the room keeps it.

import { element, setText } from "../base/dom.js";
import { signal } from "../base/view.js";
import { sentence } from "../base/refusal.js";
import { SharedText } from "./shared-text.js";

/** Milliseconds without a keystroke before the text is sent. */
const REST = 250;
/** The slot of the shared object, and the limit of a value in bytes of UTF-8 (docs/protocol.md section 6). */
const SLOT = "text";
const MOST = 200_000;

/** @param {HTMLElement} place @param {Studio} studio */
export function openSheet(place, studio) {
  const object = studio.object("sheet", true);
  const field = element("textarea", {
    id: "sheet", rows: 9, spellcheck: false, readOnly: !studio.mayChange, "aria-labelledby": "sheet-title",
    placeholder: studio.mayChange ? "Dm7  G7  Cmaj7 …\nEverybody sees what you write here." : "The musicians' text appears here.",
  });
  const state = element("p", { className: "facts", role: "status" });
  place.append(field, state);
  const shared = new SharedText();
  /** As the field has it: for the stage view. */
  const text = signal("");
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  /** @type {Promise<unknown> | null} */
  let writing = null;

  const schedule = () => { timer ??= setTimeout(send, REST); };
  const send = async () => {
    clearTimeout(timer ?? undefined);
    timer = null;
    if (new TextEncoder().encode(shared.text).length > MOST) return setText(state, "The sheet is too long to be shared; shorten it.");
    const value = shared.next();
    if (!value) return undefined;
    try {
      writing = object.set({ [SLOT]: value });
      await writing;
      setText(state, "");
    } catch (/** @type {any} */ error) {
      shared.failed();
      setText(state, sentence(`Not shared yet: ${error.message}`));
    }
    return undefined;
  };
  /** Sends all text written here, including edits queued behind an unanswered write. */
  const flush = async () => {
    await writing?.catch(() => {});
    await send();
  };
  /** @param {number} caret */
  const show = (caret) => {
    if (field.value !== shared.text) {
      const isMine = document.activeElement === field;
      field.value = shared.text;
      if (isMine) field.setSelectionRange(caret, caret);
    }
    text.value = shared.text;
    schedule();
  };
  /** @param {CustomEvent<ObjectEvent>} event */
  const receive = ({ detail: { version, slots, changes = [] } }) => {
    if (slots) show(shared.begin(slots[SLOT], version));
    for (const { kind, key, value } of changes) {
      if (key !== SLOT || !["confirmed", "changed"].includes(kind)) continue;
      show(shared.receive(value, version, kind === "confirmed", field.selectionStart));
    }
  };
  field.addEventListener("input", () => {
    shared.edit(field.value);
    text.value = field.value;
    schedule();
  });
  object.addEventListener("change", receive);
  studio.parting.add(flush);
  if (object.version) show(shared.begin(object.slots.get(SLOT), object.version));
  return {
    text,
    close: () => {
      if (timer !== null) send();
      studio.parting.delete(flush);
      object.removeEventListener("change", receive);
    },
  };
}
