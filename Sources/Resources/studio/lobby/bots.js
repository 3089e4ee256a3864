// The recorder's visits elsewhere (docs/bot.md): where it listens, and what it does there. For operators; nobody else
// is shown any, since GET /v1/bots is theirs.

import { read } from "../base/api.js";
import { element } from "../base/dom.js";
import { Refusal } from "../base/refusal.js";
import { roomAddress } from "../base/router.js";

/** What a bot does, in the words of `jamjar bots`.
 * @param {BotFact} bot */
export function botWords(bot) {
  const names = bot.guests.map((guest) => guest.name).join(", ");
  const why = bot.detail ? ` (${bot.detail})` : "";
  switch (bot.state) {
    case "ready": return bot.detail ? `Ready, ${bot.detail}` : "Ready";
    case "joining": return "Joining";
    case "waiting": return `Waiting for someone${why}`;
    case "connecting": return `Connecting ${bot.detail ?? ""}`.trim();
    case "recording": return `Hears ${names}${why}`;
    case "rejoining": return `Not connected, will rejoin${why}`;
    case "full": return `Room full${why}`;
    case "leaving": return "Leaving";
    default: return "Has left";
  }
}

/** The section of the bots; hidden while there are none, and for those who may not see them. */
export function botSection() {
  const list = element("ul", { className: "rooms", ariaLabel: "Bots" });
  const section = element("section", { id: "bots", className: "card wide", hidden: true, "aria-labelledby": "bots-title" },
    element("h2", { id: "bots-title", textContent: "Bots" }), list);
  let asked = 0;
  const draw = async () => {
    const mine = ++asked;
    /** @type {BotFact[]} */
    let bots = [];
    try {
      bots = (await read("/v1/bots")).items;
    } catch (error) {
      // Without the right to see them there are none.
      if (!(error instanceof Refusal)) console.error(error);
    }
    if (mine !== asked) return;
    list.replaceChildren(...bots.map(botRow));
    section.hidden = bots.length === 0;
  };
  return { section, draw };
}

/** @param {BotFact} bot */
function botRow(bot) {
  const row = element("li", { className: "room-row", dataset: { state: bot.state } },
    element("a", { href: roomAddress(bot.room), textContent: bot.room }),
    element("span", { className: "facts", textContent: `${bot.url} · ${botWords(bot)}` }));
  row.title = bot.caveats;
  return row;
}
