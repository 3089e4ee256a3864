// A link's page: the recording for people without an account.

import { element, find, moment } from "../base/dom.js";
import { commentForm, cueList } from "./comments.js";
import { describe, musicianNames, takeTitle } from "./link.js";
import { Player } from "./player.js";
import { passwordForm, stateCard } from "./states.js";

const place = find("view");

async function show() {
  try {
    const take = await describe();
    document.title = `${takeTitle(take)} – Jamjar`;
    place.replaceChildren(page(take));
  } catch (/** @type {any} */ error) {
    place.replaceChildren(error.code === "share-password" ? passwordForm(show) : stateCard(error));
    document.title = `${place.querySelector("h1")?.textContent} – Jamjar`;
  }
}

/** After a sound was refused: shows what has changed. A page drawn anew from the same would be refused for ever.
 * @param {SharedTake} take */
async function again(take) {
  const now = await describe().catch(() => null);
  if (JSON.stringify(now) !== JSON.stringify(take)) await show();
}

/** @param {SharedTake} take */
function page(take) {
  const player = new Player(take);
  player.addEventListener("refused", () => again(take));
  window.jamjarShare = player;
  const cues = [...take.cues];
  const list = cueList(cues, (at) => player.seek(at));
  /** @param {SharedCue} comment */
  const added = (comment) => {
    cues.push(comment);
    list.draw();
    player.cues = cues;
  };
  const end = take.expiresAt ? ` · Link holds until ${moment(take.expiresAt)}` : "";
  return element("article", { className: "shared" },
    element("section", { className: "card" },
      element("h1", { textContent: takeTitle(take) }),
      element("p", { className: "lead", textContent: musicianNames(take) }),
      player.node,
      element("p", { className: "facts", textContent: `Recorded ${moment(take.startedAt)}${end}` })),
    element("section", { className: "card", "aria-labelledby": "said" },
      element("h2", { id: "said", textContent: take.comments ? "Cues and comments" : "Cues" }),
      cues.length || take.comments ? null : element("p", { className: "empty", textContent: "The musicians marked nothing here." }),
      list.node, take.comments ? commentForm(player, added) : null));
}

show();
