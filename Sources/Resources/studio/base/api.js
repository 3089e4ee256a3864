// REST of this service (docs/rest.md). What it refuses becomes a Refusal with the sentence of its problem.
//
// Keys and join tokens need no care here: the page keeps the one that it was given in a cookie (base/access.js), which
// goes with downloads and players too.

import { Refusal } from "./refusal.js";

async function exchange(method, address, options = {}) {
  let response;
  try {
    response = await fetch(address, { method, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("unavailable", "The server cannot be reached. Check the network, then try again.");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const code = problem.type?.split(":").pop() ?? `http-${response.status}`;
  throw new Refusal(code, problem.detail ?? problem.title ?? `The server answered ${response.status} to ${address}`, problem);
}

/** JSON from an address. */
export const read = async (address, signal) =>
  (await exchange("GET", address, { headers: { accept: "application/json" }, signal })).json();

/** Bytes from an address. */
export const readBytes = async (address, signal) => (await exchange("GET", address, { signal })).arrayBuffer();

/** Sends JSON; answers the JSON that comes back, null where there is none. PATCH merges (RFC 7396). */
export async function send(method, address, body, signal) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const content = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  const response = await exchange(method, address, { ...content, signal });
  return response.status === 204 ? null : response.json().catch(() => null);
}

/** Any other exchange: the Response, or a Refusal. */
export const request = exchange;

/** The address of a room's, take's … part, with every piece escaped. */
export const path = (...pieces) => "/v1/" + pieces.map(encodeURIComponent).join("/");
