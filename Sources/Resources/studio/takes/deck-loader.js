// Decides which stretches of which tracks the deck needs at a position. Pure: positions and arrivals in, wishes out.

/** Sample rate of all recordings, in Hz. */
export const RATE = 48_000;
/** Frames of a chunk: 2 s, about 0.2 MB of FLAC and 18 kB of Opus. deck-worklet.js and the server's segments say the same. */
export const CHUNK = 2 * RATE;
/** Frames before a chunk that come with it for a fade: 1/128 s, so that no address of a place is rounded. */
export const LEAD = 375;
/** Fetched ahead of the position, in frames. */
const AHEAD = 16 * RATE;
/** Kept behind the position for small steps back, in frames. */
const BEHIND = 4 * RATE;

/** @param {string} id @param {number} index */
const key = (id, index) => `${id}/${index}`;

export class DeckLoader {
  /** id → {length, shift}, both in frames.
   * @type {Map<string, { length: number, shift: number }>} */
  #tracks = new Map();
  /** "id/index" → "coming" | "there" | "failed"
   * @type {Map<string, string>} */
  #chunks = new Map();

  /** @param {string} id @param {number} length @param {number} shift */
  add(id, length, shift) {
    this.#tracks.set(id, { length, shift });
  }

  /** @param {string} id */
  remove(id) {
    this.#tracks.delete(id);
    for (const name of this.#chunks.keys()) if (name.startsWith(`${id}/`)) this.#chunks.delete(name);
  }

  /** @param {string} id @param {number} shift */
  shift(id, shift) {
    const track = this.#tracks.get(id);
    if (track) track.shift = shift;
  }

  /** "coming", "there", "failed", or undefined if the chunk was never requested.
   * @param {string} id @param {number} index */
  state(id, index) {
    return this.#chunks.get(key(id, index));
  }

  /** @param {string} id @param {number} index @param {string | null} state */
  set(id, index, state) {
    if (state && this.#tracks.has(id)) this.#chunks.set(key(id, index), state);
    else this.#chunks.delete(key(id, index));
  }

  /** Lets failed chunks be requested again. */
  forgive() {
    for (const [name, state] of this.#chunks) if (state === "failed") this.#chunks.delete(name);
  }

  /** Number of frames in a chunk.
   * @param {string} id @param {number} index */
  frames(id, index) {
    return Math.min(CHUNK, (this.#tracks.get(id)?.length ?? 0) - index * CHUNK);
  }

  /** The next stretches of the take, including the loop's beginning: [from, to, frames until then].
   * @param {number} position @param {Loop | null} loop @param {number} end */
  #course(position, loop, end) {
    const course = [];
    let from = position, rest = AHEAD;
    const isInLoop = loop && position < loop.to;
    for (let round = 0; rest > 0 && from < end && round < 2; round++) {
      const to = Math.min(from + rest, isInLoop ? loop.to : end);
      course.push([from, to, AHEAD - rest]);
      rest -= to - from;
      if (!isInLoop || to < loop.to) break;
      from = loop.from;
    }
    // Even if the loop's end is far: the jump to its beginning leaves no time to fetch it.
    if (isInLoop && course.length === 1) course.push([loop.from, Math.min(loop.from + CHUNK, loop.to), AHEAD]);
    return course;
  }

  /**
   * `fetch`: missing chunks with how soon they are needed, most urgent first; `drop`: chunks (there or coming) that are not needed soon. All in frames.
   * @param {number} position @param {Loop | null} loop @param {number} end
   */
  plan(position, loop, end) {
    const wanted = new Map(), kept = new Set();
    const course = this.#course(position, loop, end);
    for (const [id, { length, shift }] of this.#tracks) {
      /** @param {number} from @param {number} to @param {number} distance @param {boolean} isWanted */
      const mark = (from, to, distance, isWanted) => {
        const first = Math.max(0, from + shift), last = Math.min(length, to + shift) - 1;
        if (first > last) return;
        for (let index = Math.floor(first / CHUNK); index <= Math.floor(last / CHUNK); index++) {
          kept.add(key(id, index));
          if (!isWanted) continue;
          const urgency = distance + Math.max(0, index * CHUNK - shift - from);
          const known = wanted.get(key(id, index));
          if (!known || urgency < known.urgency) wanted.set(key(id, index), { id, index, urgency });
        }
      };
      for (const [from, to, distance] of course) mark(from, to, distance, true);
      mark(position - BEHIND, position, 0, false);
    }
    const missing = [...wanted.values()].filter(({ id, index }) => !this.state(id, index));
    // While sound is missing at the position itself, everything else would only delay it.
    const isStarved = [...wanted.values()].some(({ id, index, urgency }) =>
      urgency === 0 && [undefined, "coming"].includes(this.state(id, index)));
    return {
      fetch: missing.filter(({ urgency }) => !isStarved || urgency === 0).sort((a, b) => a.urgency - b.urgency),
      drop: [...this.#chunks.keys()].filter((name) => !kept.has(name)).map((name) => {
        const cut = name.lastIndexOf("/");
        return { id: name.slice(0, cut), index: Number(name.slice(cut + 1)) };
      }),
    };
  }
}
