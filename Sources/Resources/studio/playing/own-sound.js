// Our own sound: the microphone, whether it is silent and for whom, and what the server and the others know of that.

import { Refusal } from "../base/refusal.js";
import { Microphone } from "../room/microphone.js";
import { Talkback } from "./talkback.js";

/** Emits "ended" when the microphone is gone, and "change". */
export class OwnSound extends /** @type {EmitterOf<{ ended: undefined, change: undefined }>} */ (EventTarget) {
  /** @type {Microphone | null} */
  microphone = null;
  /** Whether the musician is muted: it belongs to them, not to a microphone. */
  isMuted = false;
  /** Whether a moderator has muted them. */
  isMutedByModerator = false;
  /** Whether the service has shown that it knows of talk; one of an older release does not. */
  canTalk = false;
  talkback;
  /** A microphone that sends and is kept until the one in its place does.
   * @type {Microphone | null} */
  #leaving = null;
  #request;

  /** `request(method, params)`: the room's.
   * @param {Ask} request */
  constructor(request) {
    super();
    this.#request = request;
    this.talkback = new Talkback({
      silence: () => this.silence(),
      cover: (isCovered) => Promise.all(this.#open.map((microphone) => microphone.cover(isCovered))),
      say: (state) => request("sound", { state }),
      rest: () => this.#state,
    });
  }

  /** Whether nobody hears it just now. */
  get isSilent() {
    return this.isMutedByModerator || this.talkback.isClosed || (this.isMuted && !this.talkback.isOpen);
  }

  /** Adopts a microphone.
   * @param {Microphone} microphone */
  use(microphone) {
    this.microphone = microphone;
    // A talk that has begun with the former one: this one's copy has to be closed to it too.
    const talk = this.talkback.over;
    if (talk) {
      microphone.cover(true);
      talk.then(() => microphone.cover(false));
    }
    this.silence();
    microphone.addEventListener("ended", () => { if (this.microphone === microphone) this.dispatchEvent(new Event("ended")); });
  }

  /** Opens another microphone; `replace(stream)` sends it in place of the former one, which stays if that fails.
   * @param {MicrophoneOptions} options @param {(stream: MediaStream) => Promise<unknown>} replace */
  async change(options, replace) {
    const former = this.microphone;
    this.talkback.release();
    await this.talkback.over;
    const microphone = await Microphone.open({ ...options, isMuted: this.isSilent });
    if (this.microphone !== former) {
      microphone.close();
      throw new Refusal("microphone-changed", "The room was left, or the microphone was changed, before this one was open.");
    }
    this.#leaving = former;
    // Before it is sent: whoever mutes now mutes both.
    this.use(microphone);
    try {
      await replace(microphone.stream);
      former?.close();
    } catch (/** @type {any} */ error) {
      if (this.microphone === microphone) this.microphone = former;
      else former?.close();
      microphone.close();
      throw error;
    } finally {
      this.#leaving = null;
    }
  }

  /** @param {boolean} isMuted */
  mute(isMuted) {
    this.isMuted = isMuted;
    this.silence();
    this.say();
  }

  /** What the service does not let through does not belong into the lossless copy either. */
  silence() { for (const microphone of this.#open) microphone.isMuted = this.isSilent; }

  /** Tells the server and the others what we do when we do not talk. */
  say() {
    if (!this.microphone || this.talkback.state !== "off") return;
    this.#request("sound", { state: this.#state }).then(() => {
      this.canTalk = true;
      this.dispatchEvent(new Event("change"));
    }, () => {});
  }

  end() {
    this.talkback.release();
    this.microphone?.close();
    this.microphone = null;
    this.canTalk = false;
  }

  get #open() { return [this.microphone, this.#leaving].flatMap((microphone) => microphone ?? []); }

  get #state() { return this.isMuted ? "muted" : "on"; }
}
