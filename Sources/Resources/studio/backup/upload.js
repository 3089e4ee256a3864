import { read, request, send } from "../base/api.js";

/** Bytes per request; the server accepts up to 4 MiB. */
const CHUNK = 1 << 20;
/** Bytes a second while a musician plays here: live sound comes first. */
const CAREFUL = 160_000;
/** Milliseconds to wait for more sound, and between two requests for the state of the alignment. */
const PATIENCE = 2000;
const POLL = 1500;
/** Pauses after failures, in milliseconds; the last one repeats. */
const BACK_OFF = [1000, 2000, 5000, 10_000, 30_000];

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Uploads one copy in chunks that may be sent again (docs/rest.md). */
export class Upload {
  /** recording, sending, waiting, aligning, ready, refused, failed, lost */
  state = "recording";
  /** @type {string | null} */
  problem = null;
  sent = 0;
  #copy;
  #isPlaying;
  #tell;
  #isOver = false;

  /** `isPlaying()` says whether the network is needed for music; `tell()` is called after each change.
   * @param {Copy} copy @param {() => boolean} isPlaying @param {() => void} tell */
  constructor(copy, isPlaying, tell) {
    this.#copy = copy;
    this.#isPlaying = isPlaying;
    this.#tell = tell;
  }

  async run() {
    for (let failures = 0; !this.#isOver;) {
      try {
        const address = await this.#send(() => { failures = 0; });
        await this.#watch(address);
        return;
      } catch (/** @type {any} */ error) {
        if (this.#isOver) return;
        // A proxy before the service answers with a status of its own while the service starts.
        if (error.isPassing || ["internal", "not-ready", "unauthorized"].includes(error.code) || error.problem?.status === 429) {
          this.#become(this.#copy.isFinished ? "sending" : "recording", error.code === "unauthorized" ? error.message : null);
          await pause(BACK_OFF[Math.min(failures, BACK_OFF.length - 1)]);
          failures += 1;
        } else {
          this.#become("refused", error.message);
          return;
        }
      }
    }
  }

  /** Deletes the copy here and on the server. */
  async drop() {
    this.#isOver = true;
    await this.#copy.remove();
    this.#become("lost");
  }

  /** @param {() => void} succeeded */
  async #send(succeeded) {
    const copy = this.#copy;
    let { address } = copy;
    if (!address) {
      const made = await send("POST", `/v1/takes/${copy.take}/backups`, copy.description);
      address = `/v1/backups/${made.id}`;
      await copy.remember({ address });
    }
    const known = await read(address);
    this.sent = known.received;
    if (known.complete) return address;
    let since = performance.now(), budget = CHUNK;
    while (!this.#isOver) {
      const isLast = copy.isFinished, length = Math.min(CHUNK, copy.size - this.sent);
      if (length < CHUNK && !isLast) {
        await pause(PATIENCE);
        if (copy.size - this.sent < CHUNK / 4 && !copy.isFinished) continue;
      }
      const bytes = copy.read(this.sent, CHUNK), isComplete = copy.isFinished && this.sent + bytes.length === copy.size;
      this.#become(copy.isFinished ? "sending" : "recording");
      try {
        await request("PATCH", address, {
          headers: {
            "content-type": "application/partial-upload", "upload-offset": String(this.sent), "upload-complete": isComplete ? "?1" : "?0",
          },
          body: bytes, priority: "low",
        });
        this.sent += bytes.length;
      } catch (/** @type {any} */ error) {
        // A response was lost: the server has more than this page knew.
        if (error.code !== "upload-offset" || !Number.isInteger(error.problem?.received)) throw error;
        this.sent = error.problem.received;
        continue;
      }
      succeeded();
      this.#tell();
      if (isComplete) break;
      if (this.#isPlaying()) {
        // A token bucket: wait after sending too fast.
        const now = performance.now();
        budget = Math.min(CHUNK, budget + (CAREFUL * (now - since)) / 1000) - bytes.length;
        since = now;
        if (budget < 0) await pause((-1000 * budget) / CAREFUL);
      }
    }
    return address;
  }

  /** @param {string} address */
  async #watch(address) {
    for (;;) {
      const { state, problem } = await read(address);
      this.#become(state, problem);
      // Delete the copy only now: until it is aligned, the musician could still save it by hand.
      if (state === "ready") await this.#copy.remove();
      if (["ready", "refused", "failed"].includes(state)) return;
      await pause(POLL);
    }
  }

  /** @param {string} state @param {string | null} [problem] */
  #become(state, problem = null) {
    this.state = state;
    this.problem = problem;
    this.#tell();
  }
}
