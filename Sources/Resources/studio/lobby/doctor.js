// What keeps a band from playing, and what to do (docs/operating.md): `jamjar doctor` as a page, for the operator.

import { readStanding } from "../base/access.js";
import { path, read } from "../base/api.js";
import { button, count, element, moment, setText } from "../base/dom.js";
import { Refusal, sentence } from "../base/refusal.js";

/** @typedef {"failure" | "warning" | "unknown" | "ok"} Level */
/** @typedef {{ check: string, level: Level, sentence: string, remedy?: string }} Finding */
/** @typedef {{ ok: boolean, complete: boolean, checkedAt: string, address: string | null, findings: Finding[] }} Report */

/** What was looked at, in words.
 * @type {Record<string, string>} */
const CHECKS = {
  service: "Settings", port: "Ports of the service", page: "TLS", certificate: "Certificate", name: "Name", reach: "The way in",
  address: "Public address", media: "Music from outside", relay: "TURN", clock: "Clock", disk: "Disk",
  descriptors: "Open files", loopback: "Speed of the machine",
};
/** The worst first, each with its word and the sign in its shape.
 * @type {[Level, string, string][]} */
const LEVELS = [["failure", "Fails", "✕"], ["warning", "Doubtful", "!"], ["unknown", "Cannot be told", "?"], ["ok", "Well", "✓"]];

/** Whether this browser may have the service looked at. */
export async function mayExamine() {
  const standing = await readStanding();
  return standing?.state === "open" || standing?.authority === "operator";
}

/** The way to the page, in the lobby; hidden from all but operators. */
export function doctorSection() {
  const section = element("section", { id: "operator", className: "card wide", hidden: true, "aria-labelledby": "operator-title" },
    element("div", { className: "row between" }, element("h2", { id: "operator-title", textContent: "This service" }),
      element("a", { href: "/doctor", textContent: "Ask the doctor" })),
    element("p", { className: "hint", textContent: "The doctor looks at certificate, ports, network, TURN, clock and disk, and says what keeps others from coming in." }));
  const draw = async () => { section.hidden = !(await mayExamine()); };
  return { section, draw };
}

/** @param {HTMLElement} place */
export async function open(place) {
  if (!(await mayExamine())) throw new Refusal("forbidden", "The doctor is for operators: this page needs an API key.");
  const summary = element("p", { id: "doctor-summary", className: "lead", role: "status" });
  const note = element("p", { className: "hint", hidden: true });
  const list = element("ul", { id: "findings", ariaLabel: "Findings" });
  const again = button("Check again", () => look(), { id: "check-again", className: "quiet" });
  const stop = new AbortController();
  place.append(element("section", { className: "card doctor" },
    element("nav", { className: "crumbs", ariaLabel: "Where you are" }, element("a", { href: "/", textContent: "Rooms" })),
    element("div", { className: "row between" }, element("h1", { textContent: "Doctor" }), again),
    summary, note, list));

  async function look() {
    again.disabled = true;
    list.setAttribute("aria-busy", "true");
    setText(summary, "Looking at certificate, ports, network, TURN, clock and disk. This takes some seconds, up to a minute and a half where nothing answers.");
    try {
      const report = /** @type {Report} */ (await read(path("doctor"), stop.signal));
      setText(summary, words(report));
      note.hidden = report.address !== null;
      setText(note, "The service does not know the address that others open. With --public-url (JAMJAR_PUBLIC_URL) its name and the way in are looked at too.");
      list.replaceChildren(...sorted(report.findings).map(row));
    } catch (/** @type {any} */ error) {
      if (stop.signal.aborted) return;
      if (!(error instanceof Refusal)) console.error(error);
      setText(summary, sentence(error.message));
    }
    again.disabled = false;
    list.setAttribute("aria-busy", "false");
  }
  look();
  return { title: "Doctor", close: () => stop.abort() };
}

/** The findings with the worst first, otherwise in the doctor's order.
 * @param {Finding[]} findings */
function sorted(findings) {
  const rank = (/** @type {Finding} */ finding) => LEVELS.findIndex(([level]) => level === finding.level);
  return [...findings].sort((one, other) => rank(one) - rank(other));
}

/** @param {Report} report */
function words({ complete, checkedAt, findings }) {
  const number = (/** @type {Level} */ level) => findings.filter((finding) => finding.level === level).length;
  const [failures, warnings, unknown] = [number("failure"), number("warning"), number("unknown")];
  const parts = [
    failures ? `${count(failures, "thing fails", "things fail")}` : null,
    warnings ? `${count(warnings, "is doubtful", "are doubtful")}` : null,
    unknown ? `${unknown} cannot be told` : null,
  ].filter(Boolean);
  const state = parts.length ? sentence(parts.join(", ")) : "All is well.";
  return `${state} ${complete ? "" : "The time was over before everything had been looked at. "}Checked ${moment(checkedAt)}.`;
}

/** @param {Finding} finding */
function row({ check, level, sentence: found, remedy }) {
  const [, word, sign] = LEVELS.find(([each]) => each === level) ?? ["unknown", "Cannot be told", "?"];
  return element("li", { className: "finding", dataset: { level, check } },
    element("span", { className: "sign", ariaHidden: "true", textContent: sign }),
    element("div", {},
      element("h2", {}, CHECKS[check] ?? check, element("span", { className: "verdict", textContent: word })),
      element("p", { textContent: found }),
      remedy ? element("p", { className: "remedy" }, element("strong", { textContent: "What to do: " }), remedy) : null));
}
