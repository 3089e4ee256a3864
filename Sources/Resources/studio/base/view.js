// The view layer: values that know who reads them (signals), and properties of elements that follow them. State is kept in
// signals or in the room's state, never in the page; what is shown is a function of it (docs/decisions/0046).

/** What reads signals: run again when one of them changes. */
class Effect {
  /** The effect that runs just now: it reads what is read.
   * @type {Effect | null} */
  static running = null;
  /** The readers of all signals that it has read, itself among them.
   * @type {Set<Set<Effect>>} */
  readings = new Set();
  #work;

  /** @param {() => void} work */
  constructor(work) { this.#work = work; }

  run() {
    this.stop();
    const outer = Effect.running;
    Effect.running = this;
    try {
      this.#work();
    } finally {
      Effect.running = outer;
    }
  }

  stop() {
    for (const readers of this.readings) readers.delete(this);
    this.readings.clear();
  }
}

/**
 * A value whose readers run again when it changes.
 * @template T
 * @param {T} first
 */
export function signal(first) {
  let value = first;
  /** @type {Set<Effect>} */
  const readers = new Set();
  return {
    get value() {
      if (Effect.running) {
        readers.add(Effect.running);
        Effect.running.readings.add(readers);
      }
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const reader of [...readers]) reader.run();
    },
  };
}

/** What a view has begun, and ends all at once when it is closed. */
export class Scope {
  /** @type {(() => unknown)[]} */
  #ends = [];

  /** Runs now, and whenever a signal that it has read changes.
   * @param {() => void} work */
  effect(work) {
    const effect = new Effect(work);
    effect.run();
    this.#ends.push(() => effect.stop());
  }

  /**
   * Properties and attributes of an element as functions of signals; only what has changed is written.
   * @param {HTMLElement} node @param {Record<string, () => unknown>} properties
   */
  bind(node, properties) {
    const target = /** @type {HTMLElement & Record<string, unknown>} */ (node);
    for (const [name, read] of Object.entries(properties)) {
      this.effect(() => {
        const value = read();
        if (name.startsWith("aria-") && node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
        else if (!name.startsWith("aria-") && target[name] !== value) target[name] = value;
      });
    }
  }

  /** Listens until the view is closed.
   * @param {EventTarget} target @param {string} type @param {(event: any) => unknown} listener */
  on(target, type, listener) {
    target.addEventListener(type, listener);
    this.#ends.push(() => target.removeEventListener(type, listener));
  }

  /**
   * A signal of what is read whenever one of the sources reports: what others keep, for views.
   * @template T
   * @param {() => T} read @param {[source: object, type: string][]} sources
   */
  follow(read, sources) {
    const seen = signal(read());
    for (const [source, type] of sources) this.on(/** @type {EventTarget} */ (source), type, () => { seen.value = read(); });
    return seen;
  }

  /** @param {() => unknown} work */
  atEnd(work) { this.#ends.push(work); }

  /** In reverse: the last begun may need what was begun before it. */
  close() { for (const end of this.#ends.splice(0).reverse()) end(); }
}
