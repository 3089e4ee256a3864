// The page of one take: its name, the player, exports, how exact it is, cues, and what is said of it.

import { button, element } from "../base/dom.js";
import { followEvents } from "../base/events.js";
import { attempt, showNotice } from "../base/notices.js";
import { Refusal } from "../base/refusal.js";
import { AboutTake } from "./about-take.js";
import { certificate } from "./certificate.js";
import { downloadMenu } from "./downloads.js";
import { eveningAddress, eveningName } from "./evening.js";
import { ExportDialog } from "./export-dialog.js";
import { ShareDialog } from "./share-dialog.js";
import { KEY_HELP, listenForKeys } from "./shortcuts.js";
import { TakePlayer } from "./take-player.js";
import { TakeStore } from "./take-store.js";
import { Toast } from "./toast.js";
import { isFinished, stateWords, takeName } from "./take-words.js";

/** Events that concern this page's take. */
const TAKE_EVENTS = ["take.stopped", "take.ready", "take.incomplete", "take.failed", "take.edited", "take.deleted",
  "take.restored", "take.cue", "take.shared", "take.unshared", "take.commented"];
const TAKE_REFINED = "take.refined";
const BACKUP_READY = "backup.ready";
const EXPORT_EVENTS = ["export.queued", "export.progress", "export.done", "export.failed", "export.cancelled"];

class TakePage {
  #place;
  #store;
  #query;
  #toast = new Toast();
  /** @type {AboutTake | null} */
  #about = null;
  /** @type {TakePlayer | null} */
  #player = null;
  /** @type {ExportDialog | null} */
  #dialog = null;
  /** @type {HTMLElement | null} */
  #downloads = null;
  /** @type {HTMLDetailsElement | null} */
  #certificate = null;
  /** @type {(() => void)[]} */
  #ends = [];
  #controller = new AbortController();
  #body = element("div", { className: "take-body" });
  #columns = element("div", { className: "take-columns" });
  #foot = element("div", { className: "take-body" });
  #trash = element("div", { className: "trash-note", role: "status", hidden: true });
  #isOpen = false;

  /** @param {HTMLElement} place @param {TakeStore} store @param {URLSearchParams} query */
  constructor(place, store, query) {
    this.#place = place;
    this.#store = store;
    this.#query = query;
  }

  get title() { return takeName(this.#store.take); }

  async open() {
    const store = this.#store;
    this.#about = new AboutTake(store);
    this.#place.append(element("div", { className: "takes-view take-page" }, this.#crumbs(), this.#trash,
      this.#about.head, this.#body, this.#columns, this.#foot, this.#toast.node));
    this.#columns.append(this.#about.node);
    store.addEventListener("change", this.#show);
    this.#ends.push(followEvents({
      ...Object.fromEntries(TAKE_EVENTS.map((type) => [type, (told) => this.#hear(told)])),
      ...Object.fromEntries(EXPORT_EVENTS.map((type) => [type, (told) => this.#dialog?.hear(told.export)])),
      [TAKE_REFINED]: ({ take }) => attempt(() => this.#refined(take)),
      [BACKUP_READY]: ({ backup }) => attempt(() => this.#renew(backup.take)),
      open: () => attempt(async () => {
        await this.#again();
        await this.#renew();
      }),
      reset: () => attempt(() => this.#again()),
    }));
    await this.#fill();
  }

  #crumbs() {
    const { take } = this.#store;
    return element("nav", { className: "crumbs", "aria-label": "Where you are" },
      element("a", { href: "/takes", textContent: "Takes" }),
      element("a", { href: `/takes?room=${encodeURIComponent(take.room)}`, textContent: take.room }),
      element("a", { href: eveningAddress(take.session), textContent: eveningName(take.startedAt) }),
      element("span", { className: "spacer" }), this.#deletion);
  }
  #deletion = button("Delete", () => this.#delete(), { className: "quiet small" });

  /** Shows the player once the take has files; until then a sentence, while the page waits for events. */
  #fill() {
    const filling = this.#fillNow();
    this.#filled = filling.catch(() => {});
    return filling;
  }
  /** @type {Promise<unknown> | null} */
  #filled = null;

  async #fillNow() {
    const { take } = this.#store;
    this.#show();
    if (this.#isOpen) return;
    if (!isFinished(take)) {
      const isHopeless = take.state === "failed";
      this.#body.replaceChildren(element("section", { className: "card waiting", role: "status" },
        isHopeless ? null : element("span", { className: "spinner", "aria-hidden": "true" }),
        element("p", { textContent: isHopeless
          ? "This take could not be rendered. Its journal is kept: run “jamjar takes render” on the server to render it again."
          : `This take ${stateWords(take)}. The page shows it as soon as it is ready.` })));
      return;
    }
    this.#isOpen = true;
    await this.#store.loadTracks(this.#controller.signal);
    this.#openPlayer();
  }

  #openPlayer() {
    const store = this.#store;
    const player = this.#player = new TakePlayer(store, this.#toast, (id) => this.#address("with", id));
    this.#dialog = new ExportDialog(player.player, player.player.a);
    const help = element("details", { className: "card help" }, element("summary", { textContent: "Keys" }),
      element("dl", {}, ...KEY_HELP.flatMap(([keys, meaning]) => [element("dt", { textContent: keys }),
        element("dd", { textContent: meaning })])));
    const sharing = new ShareDialog(store.id);
    this.#downloads = downloadMenu(store);
    this.#certificate = certificate(store);
    this.#body.replaceChildren(player.node,
      element("div", { className: "take-actions" },
        button("Export …", () => this.#dialog?.open()), this.#downloads,
        button("Share …", () => sharing.open(), { className: "quiet" })),
      this.#certificate);
    this.#columns.prepend(player.cues);
    this.#foot.replaceChildren(help, sharing.node, this.#dialog.node);
    this.#keys(player);
    const at = Number(this.#query.get("at"));
    if (this.#query.has("at") && Number.isFinite(at)) player.player.seek(at);
    const other = this.#query.get("with");
    attempt(() => player.compare.offer(store.take, other));
    if (other && other !== store.id) player.with(other, this.#controller.signal);
    globalThis.jamjarDeck = player.player.deck;
    globalThis.jamjarPlayer = player.player;
  }

  /** @param {TakePlayer} player */
  #keys(player) {
    this.#ends.push(listenForKeys({
      " ": () => player.toggle(), l: () => player.toggleLoop(), c: () => player.heardCues.add(),
        x: () => player.player.b && player.player.switch(),
      m: () => player.press("mute"), s: () => player.press("solo"),
      ArrowLeft: (event) => player.step(event.shiftKey ? -0.5 : -5),
        ArrowRight: (event) => player.step(event.shiftKey ? 0.5 : 5),
      ArrowUp: () => player.walk(-1), ArrowDown: () => player.walk(1), Home: () => player.toStart(),
        End: () => player.toEnd(),
      "+": () => player.score.zoom.by(2, player.player.time()),
        "=": () => player.score.zoom.by(2, player.player.time()),
      "-": () => player.score.zoom.by(0.5), 0: () => player.score.zoom.whole(),
      PageUp: () => player.score.zoom.scroll(-player.score.zoom.span),
        PageDown: () => player.score.zoom.scroll(player.score.zoom.span),
      "[": (event) => player.compare.nudge(-1, event.shiftKey), "]": (event) => player.compare.nudge(1, event.shiftKey),
    }));
  }

  /** Sets a parameter of the address, so that the page can be shared and reloaded.
   * @param {string} name @param {string | null} value */
  #address(name, value) {
    const query = new URLSearchParams(location.search);
    if (value) query.set(name, value);
    else query.delete(name);
    history.replaceState(history.state, "", location.pathname + (query.size ? `?${query}` : ""));
  }

  /** @param {any} told */
  async #hear(told) {
    const id = typeof told.take === "string" ? told.take : told.take?.id;
    if (id !== this.#store.id) {
      const other = this.#player?.player.b?.store;
      if (other && id === other.id) await attempt(() => other.load(this.#controller.signal));
      return;
    }
    await attempt(() => this.#again());
  }

  async #again() {
    await this.#store.load(this.#controller.signal);
    await this.#fill();
  }

  /** Announces lossless copies that arrived. Playback goes on with the present sound; the listener may switch to a copy. */
  async #renew(take = this.#store.id) {
    // Events that arrive while the page loads are handled after loading.
    await this.#filled;
    const store = this.#store, player = this.#player?.player;
    const side = player?.sides.find((side) => side.store.id === take);
    if (!side) return;
    const had = new Set(side.store.tracks.map((track) => track.lossless?.backup));
    await side.store.renewTracks(this.#controller.signal);
    const come = side.store.tracks.filter(({ lossless }) => lossless && !had.has(lossless.backup));
    if (!come.length) return;
    player?.renewed(side);
    if (side.store !== store) return;
    const downloads = downloadMenu(store);
    this.#downloads?.replaceWith(downloads);
    this.#downloads = downloads;
    this.#certify();
    const names = come.map(({ participant }) => participant.name).join(" and ");
    this.#toast.show(come.length > 1 ? `The lossless copies of ${names} are there.` : `The lossless copy of ${names} is there.`);
  }

  /** Reloads a take after its files were rendered again from the whole journal.
   * @param {{ id: string }} take */
  async #refined({ id }) {
    await this.#filled;
    const player = this.#player?.player, side = player?.sides.find(({ store }) => store.id === id);
    if (!player || !side) return;
    await side.store.load(this.#controller.signal);
    await side.store.renewTracks(this.#controller.signal);
    player.rerendered(side);
    if (side.store !== this.#store) return;
    this.#certify();
    this.#toast.show("This take was made more exact.");
  }

  /** The certificate of the tracks as they are now; one that is open, or has the focus, keeps it. */
  #certify() {
    const before = this.#certificate, next = certificate(this.#store);
    if (!before) return;
    next.open = before.open;
    const hadFocus = before.contains(document.activeElement);
    before.replaceWith(next);
    this.#certificate = next;
    if (hadFocus) next.querySelector("summary")?.focus();
  }

  async #delete() {
    const done = await attempt(async () => {
      await this.#store.delete();
      return true;
    });
    if (done) this.#toast.show("The take is in the trash.", () => this.#restore());
  }

  async #restore() {
    await this.#store.restore();
    showNotice("The take is back");
  }

  #show = () => {
    const { take } = this.#store;
    this.#deletion.hidden = Boolean(take.deletedAt) || take.state === "rolling";
    this.#trash.hidden = !take.deletedAt;
    if (take.deletedAt) {
      this.#trash.replaceChildren(element("p",
        { textContent: "This take is in the trash and will be deleted for good after a while." }),
        button("Restore", () => attempt(() => this.#restore()), { className: "small" }));
    }
  };

  async close() {
    this.#controller.abort();
    this.#store.removeEventListener("change", this.#show);
    for (const end of this.#ends) end();
    this.#about?.close();
    this.#toast.hide();
    if (this.#dialog?.node.open) this.#dialog.node.close();
    delete globalThis.jamjarDeck;
    delete globalThis.jamjarPlayer;
    await this.#player?.close();
  }
}

/** Fills `place` with the page of a take; refuses a take that does not exist.
 * @param {HTMLElement} place @param {ViewContext} context */
export async function open(place, { parameters, query }) {
  const store = new TakeStore(parameters.take);
  try {
    await store.load();
  } catch (/** @type {any} */ error) {
    if (error.code !== "not-found") throw error;
    throw new Refusal("not-found",
      "There is no such take. It may have been deleted for good; look for it in the list of takes");
  }
  const page = new TakePage(place, store, new URLSearchParams(query));
  await page.open();
  return { title: page.title, close: () => page.close() };
}
