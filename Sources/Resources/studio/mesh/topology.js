// How the musicians of the room hear each other: the owner's choice, and a sentence for everybody else.

import { element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";

const WORDS = {
  routed: ["through Jamjar", "You hear each other through Jamjar."],
  mesh: ["directly", "You hear each other directly where your networks allow it. Jamjar records as always."],
};

/** @param {HTMLElement} place @param {Studio} studio */
export function openTopology(place, studio) {
  const choice = element("select", { ariaLabel: "How you hear each other", className: "topology" },
    Object.entries(WORDS).map(([value, [text]]) => element("option", { value, textContent: text })));
  choice.addEventListener("change", () => attempt(async () => {
    try {
      await studio.request("topology", { topology: choice.value });
    } finally {
      draw();
    }
  }));
  const line = element("p", { className: "facts topology-line" });
  const owners = element("label", { className: "topology-choice" }, "You hear each other", choice);
  place.append(owners, line);
  const draw = () => {
    const topology = studio.policy?.topology ?? "routed", mayChoose = ["owner", "operator"].includes(studio.role);
    owners.hidden = !mayChoose;
    choice.value = topology;
    // A routed room needs no words for those who cannot change it.
    line.hidden = topology === "routed";
    setText(line, WORDS[topology][1]);
  };
  studio.addEventListener("state", draw);
  studio.addEventListener("topology", draw);
  draw();
  return {
    close: () => {
      studio.removeEventListener("state", draw);
      studio.removeEventListener("topology", draw);
    },
  };
}
