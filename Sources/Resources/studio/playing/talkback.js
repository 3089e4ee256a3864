// Talking to the others without being recorded, while a key is held.
//
// The order is what keeps the talk out of every file: first this microphone is silent everywhere, then the lossless copy
// is closed to it and the server has said that it records silence, and only then it is open for the others. At the end the
// same backwards, after a pause for the packets that are still on their way.

/** Milliseconds between two words to the server while talking, and how long one may stay unanswered (its lease is 6 s). */
const RENEWAL = 2000;
const PATIENCE = 3000;
/** Milliseconds of silence between a talk and the word of its end, which may overtake packets on their way. */
const GUARD = 300;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Emits "change". `state`: "off", "opening", "open", "closing". */
export class Talkback extends /** @type {EmitterOf<{ change: undefined }>} */ (EventTarget) {
  /** @type {"off" | "opening" | "open" | "closing"} */
  state = "off";
  #ways;
  #isHeld = false;
  /** @type {Promise<void> | null} */
  #running = null;
  /** @type {(() => void) | null} */
  #wake = null;
  #hasFailed = false;

  /**
   * `ways`: {silence(isSilent): this microphone everywhere, cover(isCovered): its lossless copy, as a promise,
   * say(state): tells the server, as a promise, rest(): what the server is told afterwards}.
   * @param {{ silence(): void, cover(isCovered: boolean): Promise<unknown>, say(state: string): Promise<unknown>, rest(): string }} ways
   */
  constructor(ways) {
    super();
    this.#ways = ways;
  }

  /** Settles once nobody talks here. */
  get over() { return this.#running?.catch(() => {}); }

  /** Whether the microphone must be silent for everybody just now. */
  get isClosed() { return this.state === "opening" || this.state === "closing"; }
  get isOpen() { return this.state === "open"; }

  /** Begins to talk; the promise settles once the key has been released and all is as before. */
  press() {
    this.#isHeld = true;
    this.#running ??= this.#run().finally(() => { this.#running = null; });
    return this.#running;
  }

  release() {
    this.#isHeld = false;
    this.#wake?.();
  }

  /** The link is lost: nobody keeps the talk out of the files any more, so this page is silent until the key is released. */
  fail() {
    this.#hasFailed = true;
    this.#wake?.();
  }

  async #run() {
    this.#hasFailed = false;
    try {
      this.#become("opening");
      await this.#ways.cover(true);
      await this.#say("talkback");
      while (this.#isHeld && !this.#hasFailed) {
        this.#become("open");
        await Promise.race([pause(RENEWAL), this.#woken()]);
        if (this.#isHeld && !this.#hasFailed) await this.#say("talkback");
      }
    } finally {
      this.#become("closing");
      // Who still holds the key still means to talk.
      while (this.#isHeld) await this.#woken();
      await pause(GUARD);
      // Without a link the lease ends on the server's side.
      await this.#say(this.#ways.rest()).catch(() => {});
      await this.#ways.cover(false);
      this.#become("off");
    }
  }

  /** A server that does not answer may stop keeping the talk out of its files: then nothing more is said.
   * @param {string} state */
  #say(state) {
    return Promise.race([this.#ways.say(state), pause(PATIENCE).then(() => { throw new Error("The server does not answer: talkback is off"); })]);
  }

  #woken() { return new Promise((resolve) => { this.#wake = () => resolve(undefined); }); }

  /** @param {Talkback["state"]} state */
  #become(state) {
    this.state = state;
    this.#ways.silence();
    this.dispatchEvent(new Event("change"));
  }
}
