// Links to the room for friends: makes them, shows them with their QR codes, lists them, takes them back. Whoever may not
// invite copies the room's address.

import { readStanding } from "../base/access.js";
import { path, read, request, send } from "../base/api.js";
import { button, element, freshID, moment, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { Refusal, sentence } from "../base/refusal.js";

/**
 * @typedef {object} Invitation link and code only of one that was just made, or asked for by itself
 * @property {string | null} id
 * @property {string | null} name
 * @property {string | null} role
 * @property {string | null} expiresAt
 * @property {string} [url]
 * @property {string | null} [qr]
 */

/** From the least rights to the most.
 * @type {[string, Role][]} */
const ROLES = [["Listener", "listener"], ["Musician", "musician"], ["Moderator", "moderator"], ["Owner", "owner"]];
/** Days that an invitation holds.
 * @type {[string, number][]} */
const TERMS = [["1 day", 1], ["1 week", 7], ["30 days", 30], ["1 year", 365]];

/** What belongs below the list of musicians, and its button, which stands in a free seat as long as there is one.
 * @param {Studio} studio @returns {{ node: HTMLElement, invite: HTMLButtonElement }} */
export function inviting(studio) {
  if (studio.mayInvite) {
    const dialog = new InviteDialog(studio);
    return {
      node: element("div", { className: "row" }, dialog.node),
      invite: button("Invite", () => dialog.open(), { id: "invite", className: "quiet small" }),
    };
  }
  // Where everybody may invite there are no keys; so here there are some.
  const said = element("span", { className: "hint", role: "status" });
  const copy = () => attempt(async () => {
    await navigator.clipboard.writeText(location.origin + location.pathname);
    setText(said, "Copied, without a key: your friend needs an invitation too. A moderator or the owner of the room can make one.");
  });
  return {
    node: element("div", { className: "row" }, said), invite: button("Copy the link", copy, { className: "quiet small" }),
  };
}

class InviteDialog {
  #room;
  #role;
  #list = element("ul", { className: "links" });
  #made = element("div", { className: "made invitation", role: "status" });
  // A sentence on the page would be behind the dialog.
  #problem = element("p", { className: "problem", role: "alert", hidden: true });
  #hint = element("p", { className: "hint" });
  /** What a service without keys has not: roles, terms, and a list. */
  #kept = element("div", {}, element("h3", { textContent: "Invitations that hold" }), this.#list);
  #rights = element("div", { className: "row" });
  /** @type {HTMLDialogElement} */
  node;

  /** @param {Studio} studio */
  constructor(studio) {
    this.#room = studio.options?.room ?? "";
    this.#role = studio.role;
    const title = freshID("invite");
    this.node = element("dialog", { className: "card", "aria-labelledby": title },
      element("h2", { id: title, textContent: "Invite to this room" }), this.#hint, this.#form(), this.#problem, this.#made, this.#kept,
      element("div", { className: "row" }, button("Close", () => this.node.close(), { className: "quiet" })));
  }

  open() {
    this.#made.replaceChildren();
    this.node.showModal();
    this.#attempt(async () => {
      const isOpen = (await readStanding())?.state === "open";
      this.#kept.hidden = this.#rights.hidden = isOpen;
      setText(this.#hint, isOpen ? "This studio has no keys: whoever has the room's address can come in and play."
        : "Whoever opens the link is at the door of this room. You can withdraw it.");
      if (!isOpen) await this.#draw();
    });
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
     * @param {string} label @param {[string, string | number][]} options @param {string | number} chosen
     * @returns {[HTMLElement, HTMLSelectElement]}
     */
    const pick = (label, options, chosen) => {
      const id = freshID("invite");
      const select = element("select", { id }, ...options.map(([textContent, value]) =>
        element("option", { value, textContent, selected: value === chosen })));
      return [element("label", { htmlFor: id, className: "grow" }, label, select), select];
    };
    // Nobody can give away more rights than their own.
    const last = ROLES.findIndex(([, role]) => role === this.#role);
    const [what, role] = pick("As", last < 0 ? ROLES : ROLES.slice(0, last + 1), "musician");
    const [until, days] = pick("Holds for", TERMS, 7);
    this.#rights.append(what, until);
    const id = freshID("invite");
    const name = element("input", { id, maxLength: 64, autocomplete: "off", placeholder: "Any" });
    const form = element("form", {},
      element("label", { htmlFor: id }, element("span", {}, "Name", element("small", { textContent: " if you like" })), name),
      this.#rights, element("button", { type: "submit", textContent: "Make a link" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#attempt(async () => {
        const given = name.value.trim();
        /** @type {Page<Invitation>} */
        const { items: [made] } = await send("POST", path("rooms", this.#room, "invitations"),
          { role: role.value, days: Number(days.value), ...(given ? { names: [given] } : {}) });
        this.#show(made);
        name.value = "";
        if (made.id) await this.#draw();
      });
    });
    return form;
  }

  /** @param {Invitation} invitation */
  #show({ name, url, qr }) {
    const id = freshID("invite");
    /** @type {HTMLInputElement} */
    const field = element("input", { id, readOnly: true, value: url ?? "", onfocus: () => field.select() });
    const copy = button("Copy", async () => {
      await navigator.clipboard?.writeText(field.value).catch(() => field.select());
      copy.textContent = "Copied";
    });
    const code = qr ? element("img", { className: "qr", alt: "The link as a QR code", src: `data:image/svg+xml,${encodeURIComponent(qr)}` }) : null;
    this.#made.replaceChildren(
      element("div", { className: "row" }, element("label", { htmlFor: id, className: "grow" }, name ? `Link for ${name}` : "Link", field), copy),
      ...code ? [code] : []);
    field.focus();
  }

  async #draw() {
    /** @type {Page<Invitation>} */
    const { items } = await read(path("rooms", this.#room, "invitations"));
    this.#list.replaceChildren(...items.map((invitation) => {
      const { id, name, role, expiresAt } = invitation, one = path("rooms", this.#room, "invitations", id ?? "");
      return element("li", { className: "row between", dataset: { id } },
        element("span", { textContent: [name ?? "Any name", role, expiresAt ? `until ${moment(expiresAt)}` : null].filter(Boolean).join(" · ") }),
        element("span", { className: "row" },
          button("Show", () => this.#attempt(async () => this.#show(await read(one))), { className: "quiet small" }),
          button("Withdraw", () => this.#attempt(async () => {
            await request("DELETE", one);
            this.#made.replaceChildren();
            await this.#draw();
          }), { className: "quiet small" })));
    }));
    if (!items.length) this.#list.append(element("li", { className: "empty", textContent: "No invitations." }));
  }
}
