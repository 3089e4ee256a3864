// One take as the server has it, and its edits. Edits carry the ETag last seen, so that two simultaneous writers do not
// overwrite each other. Events: "change".

import { path, read, request } from "../base/api.js";
import { Refusal } from "../base/refusal.js";

const MERGE = "application/merge-patch+json";

export class TakeStore extends /** @type {EmitterOf<{ change: undefined }>} */ (EventTarget) {
  /** @type {string | null} */
  #tag = null;
  /** @type {Take | null} */
  #take = null;
  /** Empty until the take is finished.
   * @type {Track[]} */
  tracks = [];

  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
  }

  /** The take as it was last loaded; reading it before is a mistake. */
  get take() {
    if (!this.#take) throw new Error("the take is not loaded yet");
    return this.#take;
  }

  /** The address of the take or of a part of it.
   * @param {...string} pieces */
  address = (...pieces) => path("takes", this.id, ...pieces);

  /** @param {AbortSignal} [signal] */
  async load(signal) {
    await this.#keep(await request("GET", this.address(), { headers: { accept: "application/json" }, signal }));
    return this;
  }

  /** @param {AbortSignal} [signal] */
  async loadTracks(signal) {
    this.tracks = (await read(this.address("tracks"), signal)).items;
    return this.tracks;
  }

  /** Updates the track objects in place, because the player holds them.
   * @param {AbortSignal} [signal] */
  async renewTracks(signal) {
    /** @type {Page<Track>} */
    const { items } = await read(this.address("tracks"), signal);
    for (const item of items) Object.assign(this.tracks.find(({ id }) => id === item.id) ?? {}, item);
  }

  /** @param {Response} response */
  async #keep(response) {
    this.#take = await response.json();
    this.#tag = response.headers.get("etag");
    this.dispatchEvent(new Event("change"));
  }

  /** Sends changes one after the other, so that one's own change is never mistaken for somebody else's.
   * @param {[method: string, address: string, body: object | null, what: string]} wish */
  #change(...wish) {
    this.#line = this.#line.catch(() => {}).then(() => this.#changeNow(...wish));
    return this.#line;
  }
  /** @type {Promise<void>} */
  #line = Promise.resolve();

  /** @param {string} method @param {string} address @param {object | null} body @param {string} what */
  async #changeNow(method, address, body, what) {
    /** @type {Record<string, string>} */
    const headers = { accept: "application/json" };
    if (this.#tag) headers["if-match"] = this.#tag;
    if (body) headers["content-type"] = method === "PATCH" ? MERGE : "application/json";
    try {
      await this.#keep(await request(method, address, { headers, body: body && JSON.stringify(body) }));
    } catch (/** @type {any} */ error) {
      if (error.code !== "precondition-failed") throw error;
      await this.load();
      throw new Refusal("precondition-failed",
        `Somebody else changed this take in the meantime, so your ${what} was not saved. `
          + "The page now shows theirs; change it again if you still want to");
    }
  }

  /** Merges `changes` into the take; `what` names them in a sentence: "title".
   * @param {object} changes @param {string} what */
  edit(changes, what) {
    return this.#change("PATCH", this.address(), changes, what);
  }

  delete() { return this.#change("DELETE", this.address(), null, "request to delete it"); }
  restore() { return this.#change("POST", this.address("restore"), null, "request to restore it"); }

  /** @param {string} text @param {number} position */
  async addCue(text, position) {
    await this.#cue("POST", this.address("cues"), "application/json", { text, position });
  }
  /** @param {Cue} cue @param {object} changes */
  async editCue(cue, changes) {
    await this.#cue("PATCH", this.address("cues", cue.id), MERGE, changes);
  }
  /** @param {Cue} cue */
  async deleteCue(cue) {
    await this.#cue("DELETE", this.address("cues", cue.id));
  }
  /** @param {string} method @param {string} address @param {string} [type] @param {object} [body] */
  async #cue(method, address, type, body) {
    await request(method, address, body && type ? { headers: { "content-type": type }, body: JSON.stringify(body) } : {});
    await this.load();
  }
}
