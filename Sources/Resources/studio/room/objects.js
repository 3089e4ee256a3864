import { SharedObject } from "./shared.js";

/** The shared objects that this page uses, over every link of its stay. */
export class SharedObjects {
  /** @type {Map<string, SharedObject>} */
  #objects = new Map();
  #ask;
  #complain;

  /** `ask`: the room's request; `complain` gets a sentence.
   * @param {Ask} ask @param {(problem: string) => void} complain */
  constructor(ask, complain) {
    this.#ask = ask;
    this.#complain = complain;
  }

  /** Starts to use an object; `persistent`: undefined for those who may not create it.
   * @param {string} name @param {boolean} [persistent] */
  get(name, persistent) {
    const known = this.#objects.get(name);
    if (known) return known;
    const object = new SharedObject(name, this.#ask, persistent);
    this.#objects.set(name, object);
    this.#use(object);
    return object;
  }

  /** Uses all of them on a new link. */
  useAgain() { for (const object of this.#objects.values()) object.use().catch(() => {}); }

  /** Asks again for those that no musician had created yet. */
  useMissing() { for (const object of this.#objects.values()) if (object.version === null) this.#use(object); }

  /** @param {ObjectEvent} event */
  receive(event) { this.#objects.get(event.object)?.receive(event); }

  clear() { this.#objects.clear(); }

  /** @param {SharedObject} object */
  #use(object) {
    object.use().catch((error) => {
      if (error.code !== "unknown-object") this.#complain(`“${object.name}” cannot be shared: ${error.message}`);
    });
  }
}
