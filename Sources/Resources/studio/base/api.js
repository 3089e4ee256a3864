// REST of this service (docs/rest.md). A refused request throws a Refusal with the sentence of the problem.
//
// Keys and join tokens need no code here: they are in a cookie (base/access.js), which downloads and players send too.

import { Refusal } from "./refusal.js";

/** @param {string} method @param {string} address @param {RequestInit & { priority?: string }} [options] */
async function exchange(method, address, options = {}) {
  let response;
  try {
    response = await fetch(address, { method, ...options });
  } catch (/** @type {any} */ error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("unavailable", "The server cannot be reached. Check the network, then try again.");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const code = problem.type?.split(":").pop() ?? `http-${response.status}`;
  // Proxies may send a date instead of seconds.
  const retryAfter = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  throw new Refusal(code, problem.detail ?? problem.title ?? `The server answered ${response.status} to ${address}`,
    { problem, retryAfter: Number.isNaN(retryAfter) ? null : retryAfter });
}

/** Gets JSON from an address.
 * @param {string} address @param {AbortSignal} [signal] */
export const read = async (address, signal) =>
  (await exchange("GET", address, { headers: { accept: "application/json" }, signal })).json();

/** Gets the items of a list, page by page.
 * @param {string} address without a query @param {AbortSignal} [signal] @returns {Promise<any[]>} */
export async function readAll(address, signal) {
  const all = [];
  /** @type {string | null | undefined} */
  let cursor = null;
  do {
    /** @type {Page<any>} */
    const { items, next } = await read(`${address}?limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`, signal);
    all.push(...items);
    cursor = next;
  } while (cursor);
  return all;
}

/** Gets bytes from an address.
 * @param {string} address @param {AbortSignal} [signal] */
export const readBytes = async (address, signal) => (await exchange("GET", address, { signal })).arrayBuffer();

/** Sends JSON; returns the JSON of the response, or null without a body. PATCH merges (RFC 7396).
 * @param {string} method @param {string} address @param {unknown} [body] @param {AbortSignal} [signal] */
export async function send(method, address, body, signal) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const content = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  const response = await exchange(method, address, { ...content, signal });
  return response.status === 204 ? null : response.json().catch(() => null);
}

/** Sends any other request; returns the Response or throws a Refusal. */
export const request = exchange;

/** The address of a part of a room, take and so on, with every piece escaped.
 * @param {...string} pieces */
export const path = (...pieces) => "/v1/" + pieces.map(encodeURIComponent).join("/");
