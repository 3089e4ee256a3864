// What can be done with the chosen takes of the list, whether their rows stand in the page or not.

import { button, count, element } from "../base/dom.js";
import { attempt, showNotice, showProblem } from "../base/notices.js";
import { path, send } from "../base/api.js";
import { sentence } from "../base/refusal.js";
import { Toast } from "./toast.js";
import { isFinished, takeName } from "./take-words.js";

/**
 * @typedef {object} ChosenList the list that they are chosen from
 * @property {Map<string, Take>} takes
 * @property {import("./list-filters.js").ListFilters} filters
 * @property {ViewContext["go"]} go
 * @property {(take: Take) => void} show a take as it is now
 * @property {(id: string) => void} remove
 * @property {(id: string, isChosen: boolean) => void} mark
 * @property {() => Promise<unknown>} again loads the list anew
 */

export class ChosenTakes {
  node = element("div", { className: "bulk", role: "group", "aria-label": "Chosen takes", hidden: true });
  toast = new Toast();
  /** @type {Set<string>} */
  ids = new Set();
  #list;

  /** @param {ChosenList} list */
  constructor(list) { this.#list = list; }

  /** @param {string} id @param {boolean} isChosen */
  choose(id, isChosen) {
    if (isChosen) this.ids.add(id);
    else this.ids.delete(id);
    this.draw();
  }

  draw() {
    const { takes, filters, go } = this.#list;
    // In the list's order; what it has no more is not chosen any more.
    const chosen = [...takes.values()].filter(({ id }) => this.ids.has(id));
    this.ids = new Set(chosen.map(({ id }) => id));
    this.node.hidden = !chosen.length;
    if (!chosen.length) return;
    /** @param {string} text @param {() => unknown} work @param {Properties<"button">} properties */
    const does = (text, work, properties = {}) => button(text, work, { className: "quiet small", ...properties });
    const areAll = chosen.every(({ favourite }) => favourite);
    this.node.replaceChildren(element("strong", { textContent: `${chosen.length} chosen` }),
      element("span", { className: "spacer" }),
      ...(filters.isTrash ? [does("Restore", () => this.change("restore", chosen))] : [
        does("Compare A/B", () => go(`/takes/${chosen[0].id}?with=${chosen[1].id}`),
          { className: "small", disabled: chosen.length !== 2 || !chosen.every(isFinished),
          title: "Choose two takes" }),
        does(areAll ? "Remove from favourites" : "Favourites", () => this.change("edit", chosen, { favourite: !areAll })),
        does("Delete", () => this.change("delete", chosen)),
      ]), does("Clear selection", () => this.#clear()));
  }

  #clear() {
    for (const id of this.ids) this.#list.mark(id, false);
    this.ids.clear();
    this.draw();
  }

  /** One action on many takes; reports failures with their number.
   * @param {"edit" | "delete" | "restore"} action @param {Take[]} takes @param {object} [changes] */
  async change(action, takes, changes) {
    const wish = { action, takes: takes.map(({ id }) => id), ...(changes ? { changes } : {}) };
    /** @type {{ items: { id: string, status: number, take: Take, problem?: Problem }[] } | undefined} */
    const answer = await attempt(() => send("POST", path("takes", "bulk"), wish));
    if (!answer) return;
    const done = answer.items.filter(({ status }) => status < 300),
      refused = answer.items.filter(({ status }) => status >= 300);
    for (const { id, take } of done) {
      if (action === "edit") this.#list.show(take);
      else this.#list.remove(id);
    }
    this.draw();
    const words = { edit: "changed", delete: "moved to the trash", restore: "restored" }[action];
    /** @param {string} id */
    const named = (/** @type {string} */ id) => {
      const take = takes.find((one) => one.id === id);
      return take ? takeName(take) : "The take";
    };
    const what = done.length === 1 ? named(done[0].id) : count(done.length, "take");
    if (done.length && action !== "edit") {
      const back = action === "delete" ? "restore" : "delete";
      this.toast.show(`${what} ${done.length === 1 ? "is" : "are"} ${words}.`, async () => {
        await send("POST", path("takes", "bulk"), { action: back, takes: done.map(({ id }) => id) });
        await this.#list.again();
      });
    } else if (done.length) showNotice(`${what} ${words}`);
    if (!refused.length) return;
    const why = refused[0].problem?.detail ?? "the server refused";
    showProblem(sentence(`${count(refused.length, "take")} could not be ${words}: ${why}`));
  }
}
