/** One shared object of a room (docs/protocol.md section 6). Emits "change" whenever its slots change. */
export class SharedObject extends /** @type {EmitterOf<{ change: ObjectEvent }>} */ (EventTarget) {
  /** @type {Map<string, any>} */
  slots = new Map();
  /** Counts the changes; null before the first event.
   * @type {number | null} */
  version = null;
  #ask;

  /** `ask(method, params)` is the room's request.
   * @param {string} name @param {Ask} ask @param {boolean} [persistent] */
  constructor(name, ask, persistent) {
    super();
    this.name = name;
    this.persistent = persistent;
    this.#ask = ask;
  }

  /** Begins to use the object, also on a new link; an event then brings all slots. */
  use() {
    return this.#ask("objectUse", { object: this.name, ...(this.persistent === undefined ? {} : { persistent: this.persistent }) });
  }

  release() { return this.#ask("objectRelease", { object: this.name }); }

  /** Sets slots; null removes one.
   * @param {Record<string, any>} slots */
  set(slots) { return this.#ask("objectChange", { object: this.name, changes: [{ set: slots }] }); }

  /** An event of the room that names this object.
   * @param {ObjectEvent} event */
  receive(event) {
    this.version = event.version;
    if (event.slots) this.slots = new Map(Object.entries(event.slots));
    for (const change of event.changes ?? []) {
      switch (change.kind) {
        case "confirmed":
        case "changed": this.slots.set(change.key, change.value); break;
        case "removed": this.slots.delete(change.key); break;
        case "cleared": this.slots.clear(); break;
      }
    }
    this.dispatchEvent(new CustomEvent("change", { detail: event }));
  }
}
