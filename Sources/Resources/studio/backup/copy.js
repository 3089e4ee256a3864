// One capture of one take in this browser's file system: `<key>.pcm` has the sound, `<key>.json` its description.

import { BYTES, encode, wavHeader } from "./pcm.js";

const FOLDER = "jamjar-backups";
/** Bytes between two flushes: about a second, the most that a crash of the machine may cost. */
const FLUSH = 300_000;

const folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

export class Copy {
  isFinished = false;
  /** @type {string | null} */
  problem = null;
  size = 0;
  #handle;
  #facts;
  #flushed = 0;

  /** @param {string} key @param {CopyFacts} facts @param {SyncHandle} handle */
  constructor(key, facts, handle) {
    this.key = key;
    this.#facts = facts;
    this.#handle = handle;
    this.size = handle.getSize();
  }

  /** Creates a copy; `facts`: {take, participant, room, title, sampleRate, channels}.
   * @param {CopyFacts} facts */
  static async make(facts) {
    const key = `${facts.take}-${crypto.randomUUID()}`;
    const file = await (await folder()).getFileHandle(`${key}.pcm`, { create: true });
    // The open handle keeps other tabs from this copy.
    const copy = new Copy(key, facts, await file.createSyncAccessHandle());
    await copy.remember({});
    return copy;
  }

  get take() { return this.#facts.take; }
  get room() { return this.#facts.room; }
  get title() { return this.#facts.title; }
  /** The server's address of the upload; null before it begins. */
  get address() { return this.#facts.address ?? null; }
  get seconds() { return this.size / (this.#facts.sampleRate * this.#facts.channels * BYTES); }
  get bytesASecond() { return this.#facts.sampleRate * this.#facts.channels * BYTES; }
  /** The request body that begins the upload. */
  get description() {
    const { participant, sampleRate, channels, startedAt } = this.#facts;
    return { participant, sampleRate, channels, format: "s24le", ...(startedAt ? { startedAt } : {}) };
  }

  /** @param {string} time */
  set startedAt(time) { this.remember({ startedAt: time }).catch(() => {}); }

  /** Appends sound; false if this browser has no room for more. Sound already written stays.
   * @param {Float32Array} samples */
  write(samples) {
    if (this.isFinished) return true;
    const bytes = encode(samples);
    try {
      const written = this.#handle.write(bytes, { at: this.size });
      if (written < bytes.length) throw new Error("it is full");
      this.size += written;
      if (this.size - this.#flushed > FLUSH) this.#flush();
      return true;
    } catch (/** @type {any} */ error) {
      // Whole frames only.
      this.size -= this.size % (BYTES * this.#facts.channels);
      this.problem = `The local backup ended at ${Math.floor(this.seconds)} seconds, because this browser has no room for more (${error.message}). The recording on the server goes on`;
      this.finish();
      return false;
    }
  }

  /** @param {number} at @param {number} length */
  read(at, length) {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - at)));
    this.#handle.read(bytes, { at });
    return bytes;
  }

  /** Ends the recording. */
  finish() {
    if (this.isFinished) return;
    this.isFinished = true;
    this.#flush();
  }

  /** The copy as a WAV file, for saving by hand. */
  wav() {
    const { sampleRate, channels } = this.#facts;
    return new Blob([wavHeader(this.size, sampleRate, channels), this.read(0, this.size)], { type: "audio/wav" });
  }

  /** @param {Partial<CopyFacts>} changes */
  async remember(changes) {
    Object.assign(this.#facts, changes);
    const file = await (await folder()).getFileHandle(`${this.key}.json`, { create: true });
    const writable = await file.createWritable();
    await writable.write(JSON.stringify(this.#facts));
    await writable.close();
  }

  close() { this.#handle.close(); }

  /** Deletes the copy, once the server has it or the musician discards it. */
  async remove() {
    this.close();
    const place = await folder();
    for (const ending of ["pcm", "json"]) await place.removeEntry(`${this.key}.${ending}`).catch(() => {});
  }

  #flush() {
    this.#handle.flush();
    this.#flushed = this.size;
  }
}

/** Copies left by closed tabs; an open tab holds its files. */
export async function* leftovers() {
  const place = await folder();
  const names = [];
  for await (const name of place.keys()) if (name.endsWith(".json")) names.push(name);
  for (const name of names) {
    const key = name.slice(0, -".json".length);
    try {
      const facts = JSON.parse(await (await (await place.getFileHandle(name)).getFile()).text());
      const handle = await (await place.getFileHandle(`${key}.pcm`)).createSyncAccessHandle();
      const copy = new Copy(key, facts, handle);
      copy.size -= copy.size % (BYTES * facts.channels);
      copy.isFinished = true;
      yield copy;
    } catch (/** @type {any} */ error) {
      // Held by another tab. On any other error one of the two files is missing, and there is nothing to send.
      if (error.name !== "NoModificationAllowedError" && error.name !== "InvalidStateError") {
        for (const ending of ["pcm", "json"]) await place.removeEntry(`${key}.${ending}`).catch(() => {});
      }
    }
  }
}
