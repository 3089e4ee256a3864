// What the pages of a room agree on while they play, in its shared object `desk` (docs/protocol.md, section 6): the song of
// the take that rolls, and count-ins.

import { path, send } from "../base/api.js";

export class Desk {
  object;

  /** `named(take, song)`: the take of this identifier has another song; `counts(count)`: a count-in is planned.
   * @param {SharedObject} object @param {{ named(take: string, song: { title: string } | null): void, counts(count: CountPlan): void }} hears */
  constructor(object, { named, counts }) {
    this.object = object;
    object.addEventListener("change", ({ detail: { slots = {}, changes = [] } }) => {
      const values = { ...slots };
      for (const { kind, key, value } of changes) if (["confirmed", "changed"].includes(kind)) values[key] = value;
      if (values.song) named(values.song.take, values.song.song);
      // A count-in of before is over.
      if (values.count && !("count" in slots)) counts(values.count);
    });
  }

  /** Keeps a song for the take that rolls; an empty title takes the name away. Returns the song.
   * @param {RollingTake} take @param {string} title */
  async name(take, title) {
    const { song } = await send("PATCH", path("takes", take.id), { song: title ? { title } : null });
    // Without the link the others learn it when the take is finished.
    await this.object.set({ song: { take: take.id, song } }).catch(() => {});
    return song;
  }

  /** Plans a count-in for everybody.
   * @param {CountPlan} count */
  count(count) { return this.object.set({ count }); }
}
