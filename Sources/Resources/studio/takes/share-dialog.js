// Links to a take for people without an account: makes them, lists them, takes them back.

import { path, read, request, send } from "../base/api.js";
import { button, element, freshID, moment } from "../base/dom.js";
import { Refusal, sentence } from "../base/refusal.js";

const DAY = 86_400_000;
/** Days that a link holds; null until it is revoked. */
const TERMS = [["1 day", 1], ["1 week", 7], ["30 days", 30], ["Until I take it back", null]];
const CONTENTS = [["The mix", "mix"], ["The mix and the tracks", "both"], ["The tracks", "tracks"]];

export class ShareDialog {
  #take;
  #list = element("ul", { className: "links" });
  #made = element("div", { className: "row made", role: "status" });
  // A sentence on the page would be behind the dialog.
  #problem = element("p", { className: "problem", role: "alert", hidden: true });
  /** @type {HTMLDialogElement} */
  node;

  /** `take`: the identifier.
   * @param {string} take */
  constructor(take) {
    this.#take = take;
    const title = freshID("share");
    this.node = element("dialog", { className: "card", "aria-labelledby": title },
      element("h2", { id: title, textContent: "Share this take" }),
      element("p", { className: "hint", textContent: "Whoever has the link can listen, without an account. You can take it back." }),
      this.#form(), this.#problem, this.#made, element("h3", { textContent: "Links" }), this.#list,
      element("div", { className: "row" }, button("Close", () => this.node.close(), { className: "quiet" })));
  }

  open() {
    this.#made.replaceChildren();
    this.node.showModal();
    this.#attempt(() => this.#draw());
  }

  /** @param {() => Promise<unknown>} work */
  async #attempt(work) {
    this.#problem.hidden = true;
    try {
      await work();
    } catch (/** @type {any} */ error) {
      if (!(error instanceof Refusal)) console.error(error);
      this.#problem.textContent = sentence(error.message);
      this.#problem.hidden = false;
    }
  }

  #form() {
    /**
     * @param {string} label @param {(string | number | null)[][]} options @param {string | number} chosen
     * @returns {[HTMLElement, HTMLSelectElement]}
     */
    const pick = (label, options, chosen) => {
      const id = freshID("share");
      const select = element("select", { id }, ...options.map(([text, value]) =>
        element("option", { value: value ?? "", textContent: String(text), selected: value === chosen })));
      return [element("label", { htmlFor: id, className: "grow" }, label, select), select];
    };
    const [what, contents] = pick("What", CONTENTS, "mix"), [until, term] = pick("Holds for", TERMS, 30);
    const id = freshID("share");
    const password = element("input", { id, type: "password", minLength: 6, maxLength: 50, autocomplete: "new-password", placeholder: "None" });
    const comments = element("input", { type: "checkbox", checked: true });
    const form = element("form", {}, element("div", { className: "row" }, what, until),
      element("label", { htmlFor: id }, "Password", password),
      element("label", { className: "choice" }, comments, element("span", { textContent: "Visitors may comment" })),
      element("button", { type: "submit", textContent: "Make a link" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#attempt(async () => {
        const made = await send("POST", path("takes", this.#take, "shares"), {
          contents: contents.value, comments: comments.checked, ...(password.value ? { password: password.value } : {}),
          ...(term.value ? { expiresAt: new Date(Date.now() + Number(term.value) * DAY).toISOString() } : {}),
        });
        this.#show(location.origin + made.path);
        await this.#draw();
      });
    });
    return form;
  }

  /** Nobody can learn the link afterwards.
   * @param {string} link */
  #show(link) {
    const id = freshID("share");
    /** @type {HTMLInputElement} */
    const field = element("input", { id, readOnly: true, value: link, onfocus: () => field.select() });
    const copy = button("Copy", async () => {
      await navigator.clipboard?.writeText(link).catch(() => field.select());
      copy.textContent = "Copied";
    });
    this.#made.replaceChildren(element("label", { htmlFor: id, className: "grow" }, "Your link, shown this once", field), copy);
    field.focus();
  }

  async #draw() {
    /** @type {Page<Share>} */
    const { items } = await read(path("takes", this.#take, "shares"));
    this.#list.replaceChildren(...items.map((share) => {
      const words = CONTENTS.find(([, value]) => value === share.contents)?.[0] ?? share.contents;
      const end = share.expired ? "has expired" : share.expiresAt ? `until ${moment(share.expiresAt)}` : "until taken back";
      return element("li", { className: "row between" },
        element("span", { textContent: [words, end, share.password ? "with password" : null].filter(Boolean).join(" · ") }),
        button("Take back", () => this.#attempt(async () => {
          await request("DELETE", path("takes", this.#take, "shares", share.id));
          await this.#draw();
        }), { className: "quiet small" }));
    }));
    if (!items.length) this.#list.append(element("li", { className: "empty", textContent: "No links yet." }));
  }
}
