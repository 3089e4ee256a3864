// The page in place of one that cannot be fetched: says which side is gone, and loads the address anew once it is back.

/** Milliseconds between two looks at the server. */
const PAUSE = 5_000;

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

function draw() {
  const isOffline = !navigator.onLine;
  find("title").textContent = isOffline ? "You are offline" : "The server does not answer";
  find("text").textContent = isOffline
    ? "This device has no network. Check Wi-Fi or cable."
    : "Your network works, but the server cannot be reached. It may be restarting.";
}

async function look() {
  draw();
  try {
    await fetch("/healthz", { cache: "no-store" });
    location.reload();
  } catch { /* not yet */ }
}

find("again").addEventListener("click", look);
for (const event of ["online", "offline"]) addEventListener(event, look);
setInterval(look, PAUSE);
draw();
