// A service worker that does one thing: where the server cannot be reached, an address of the studio opens a page that
// says so and comes back by itself. It keeps nothing of the studio itself, so that no update is ever held up by it.

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (self));
const CACHE = "jamjar-offline";
const PAGE = "/studio/base/offline.html";
const SHELL = [PAGE, "/studio/base/offline.js", "/studio/base/studio.css", "/studio/icons/icon.svg"];

/** Fetches the shell anew: all of it or nothing. */
async function renew() {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL.map((address) => new Request(address, { cache: "no-cache" })));
}

let isFresh = false;

/** Once in a worker's life, after a page has come from the server: the shell is as new as that page. */
function keepFresh() {
  if (isFresh) return;
  isFresh = true;
  renew().catch(() => { isFresh = false; });
}

worker.addEventListener("install", (event) => {
  // Sound and lists need not come past here at all, where the browser knows how.
  event.addRoutes?.([{ condition: { urlPattern: new URLPattern({ pathname: "/v1/*" }) }, source: "network" }])?.catch(() => {});
  event.waitUntil(renew().then(() => worker.skipWaiting()));
});
worker.addEventListener("activate", (event) => event.waitUntil(Promise.all([
  // The page is on its way while the worker starts.
  worker.registration.navigationPreload?.enable(), worker.clients.claim(),
])));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  // Files of links and downloads are opened as they are.
  if (request.mode === "navigate" && !pathname.startsWith("/v1/")) event.respondWith(page(request, event.preloadResponse));
  else if (SHELL.includes(pathname)) event.respondWith(fetch(request).catch(() => kept(pathname)));
});

/** @param {Request} request @param {Promise<Response | undefined>} early */
async function page(request, early) {
  try {
    const response = (await early) ?? await fetch(request);
    keepFresh();
    return response;
  } catch {
    return kept(PAGE);
  }
}

/** @param {string} address */
const kept = async (address) => (await caches.match(address, { cacheName: CACHE })) ?? Response.error();
