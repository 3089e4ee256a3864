import { element } from "../base/dom.js";
import { attempt } from "../base/notices.js";

/** Messages between the members of the room.
 * @param {HTMLElement} place @param {Studio} studio */
export function openChat(place, studio) {
  const list = element("ol");
  const log = element("div", { id: "messages", className: "messages", role: "log", "aria-labelledby": "messages-title", tabIndex: 0 }, list);
  const field = element("input", { id: "message", required: true, maxLength: 1000, autocomplete: "off", placeholder: "Say something" });
  const form = element("form", { id: "message-form", className: "row" },
    element("label", { className: "grow", htmlFor: "message" }, element("span", { className: "hidden", textContent: "Your message" }), field),
    element("button", { type: "submit", className: "quiet", textContent: "Send" }));
  place.append(log, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(() => studio.request("message", { text: field.value.trim() }))) field.value = "";
  });
  const draw = () => {
    for (const { name, text, isPrivate, at } of studio.messages.slice(list.children.length)) {
      const time = new Date(performance.timeOrigin + 1000 * at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      list.append(element("li", {}, element("time", { textContent: time }), element("strong", { textContent: isPrivate ? `${name} to you: ` : `${name}: ` }), text));
    }
    log.scrollTop = log.scrollHeight;
  };
  studio.addEventListener("message", draw);
  draw();
  return { close: () => studio.removeEventListener("message", draw) };
}
