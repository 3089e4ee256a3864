// Keys and join tokens. A token from a link with `#token=…` or `?token=…` is kept in a cookie that goes to no other site
// (SameSite=Strict). Downloads and players, which cannot send header fields, use the cookie too.

import { button, element, freshID } from "./dom.js";

const NAME = "jamjar-access";
const DAYS = 30;

const attributes = () => `; path=/; SameSite=Strict${location.protocol === "https:" ? "; Secure" : ""}`;

/** The key or token of this browser, or null. */
export function heldAccess() {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${NAME}=`));
  return found ? decodeURIComponent(found.slice(NAME.length + 1)) : null;
}

export function holdAccess(credential) {
  const age = credential ? DAYS * 86_400 : 0;
  document.cookie = `${NAME}=${encodeURIComponent(credential ?? "")}; max-age=${age}${attributes()}`;
}

/** Removes a token from the page's address, so that it is neither shown nor passed on. */
export function takeAccessFromAddress() {
  const query = new URLSearchParams(location.search), fragment = new URLSearchParams(location.hash.slice(1));
  const credential = fragment.get("token") ?? query.get("token") ?? fragment.get("key") ?? query.get("key");
  if (!credential) return;
  holdAccess(credential);
  for (const parameters of [query, fragment]) ["token", "key"].forEach((name) => parameters.delete(name));
  const rest = [query.size ? `?${query}` : "", fragment.size ? `#${fragment}` : ""].join("");
  history.replaceState(history.state, "", location.pathname + rest);
}

/** A form for the key or token that the server requires; `onGiven` is called once the user has entered one. */
export function accessForm(reason, onGiven) {
  const id = freshID("access");
  const field = element("input", { id, type: "password", required: true, autocomplete: "current-password" });
  const form = element("form", { className: "card narrow" },
    element("h2", { textContent: "This studio needs a key" }),
    element("p", { textContent: reason }),
    element("label", { htmlFor: id }, "Key or join token", field),
    element("div", { className: "row" }, element("button", { type: "submit", textContent: "Continue" }),
      heldAccess() ? button("Forget the saved key", () => { holdAccess(null); onGiven(); }, { className: "quiet" }) : null));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    holdAccess(field.value.trim());
    onGiven();
  });
  return form;
}
