// What Jamjar is for, in three drawn steps: in place of rooms where nobody has played yet.

import { element } from "../base/dom.js";

/** @typedef {[name: string, attributes: Record<string, string | number>]} Shape */

/** A drawing in lines of the text's colour; the classes `jam` and `level` colour what matters (room.css).
 * @param {Shape[]} shapes */
function drawing(shapes) {
  const make = (/** @type {string} */ name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const svg = make("svg");
  svg.setAttribute("viewBox", "0 0 160 96");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, attributes] of shapes) {
    const shape = make(name);
    for (const [attribute, value] of Object.entries(attributes)) shape.setAttribute(attribute, String(value));
    svg.append(shape);
  }
  return svg;
}

/** A jar, as in the header: a lid and a glass.
 * @param {number} x the left edge @param {number} y the top @param {number} wide @param {number} tall @returns {Shape[]} */
const jar = (x, y, wide, tall) => [
  ["rect", { x: x + wide / 6, y, width: (2 * wide) / 3, height: 8, rx: 3, class: "lid" }],
  ["rect", { x, y: y + 11, width: wide, height: tall - 11, rx: 12 }],
];

/** Bars of sound around a line.
 * @param {number} x @param {number} y @param {number[]} heights @param {string} colour @returns {Shape} */
const sound = (x, y, heights, colour) => ["path", {
  class: colour, d: heights.map((height, at) => `M${x + 6 * at} ${y - height / 2}v${height}`).join(""),
}];

/** A head and shoulders.
 * @param {number} x @param {number} y @returns {Shape[]} */
const musician = (x, y) => [["circle", { cx: x, cy: y, r: 8 }], ["path", { d: `M${x - 14} ${y + 26}c0-18 28-18 28 0` }]];

/** A jar with a label on it; musicians on the ends of lines to it; a jar with a track for each of them.
 * @type {[shapes: Shape[], title: string, text: string][]} */
const STEPS = [
  [[...jar(52, 8, 56, 80), ["rect", { x: 60, y: 40, width: 40, height: 26, rx: 4, class: "label" }], ["path", { d: "M67 49h26M67 57h16", class: "jam" }]],
    "Name a room", "Any name will do, and the room is open at once."],
  [[...jar(64, 2, 32, 42), ...musician(22, 40), ...musician(138, 40), ...musician(80, 68), ["path", { class: "jam", d: "M38 36L57 30M122 36L103 30M80 49v5" }]],
    "Send its link", "Up to three musicians hear each other, each from home. Others may listen."],
  [[...jar(44, 8, 72, 80), ["circle", { cx: 133, cy: 22, r: 7, class: "lamp" }],
    sound(56, 35, [6, 14, 10, 18, 12, 16, 8, 14, 6], "jam"), sound(56, 54, [10, 6, 16, 8, 14, 6, 18, 10, 8], "level"),
    sound(56, 73, [4, 12, 8, 6, 14, 18, 10, 6, 12], "warm")],
    "Play", "Recording begins with the first sound. Everyone gets a track of their own, and all fit together."],
];

export const steps = () => element("ol", { className: "steps" }, STEPS.map(([shapes, title, text]) =>
  element("li", {}, drawing(shapes), element("h3", { textContent: title }), element("p", { className: "empty", textContent: text }))));
