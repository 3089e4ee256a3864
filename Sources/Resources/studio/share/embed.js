// The player alone, for pages of others. It has no forms: a page around it could dress them up.

import { element, find } from "../base/dom.js";
import { address, describe, musicianNames, takeTitle } from "./link.js";
import { Player } from "./player.js";
import { stateCard } from "./states.js";

const place = find("view");
/** @param {string} text */
const link = (text) => element("a", { href: address, target: "_blank", rel: "noopener", textContent: text });

async function show() {
  try {
    const take = await describe();
    const player = new Player(take);
    window.jamjarShare = player;
    document.title = `${takeTitle(take)} – Jamjar`;
    place.replaceChildren(element("article", { className: "card" },
      element("div", { className: "row between" }, element("h1", { textContent: takeTitle(take) }), link("Open in Jamjar")),
      element("p", { className: "lead", textContent: musicianNames(take) }), player.node));
  } catch (/** @type {any} */ error) {
    if (error.code !== "share-password") return place.replaceChildren(stateCard(error));
    place.replaceChildren(element("section", { className: "card state-card" },
      element("h1", { textContent: "This recording has a password" }), element("p", {}, link("Open it in Jamjar"))));
  }
}

show();
