// The server's events (docs/events.md, section 2) while a view is open. The browser reconnects by itself and requests
// missed events; if they are gone, `reset` tells the view to reload.

/**
 * Calls `handlers[type](data)`, `reset()` if missed events are gone, and `open()` whenever the stream opens: no event
 * reports what happened before the first opening. Returns a function that closes the stream.
 */
export function followEvents({ reset, open, ...handlers }) {
  const types = Object.keys(handlers);
  let source, timer;
  const connect = () => {
    source = new EventSource(`/v1/events?types=${types.map(encodeURIComponent).join(",")}`);
    for (const type of types) source.addEventListener(type, (event) => handlers[type](JSON.parse(event.data)));
    source.addEventListener("reset", () => reset());
    if (open) source.addEventListener("open", () => open());
    // The browser gives up after a refusal (429: too many streams are open).
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, REFUSED);
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

/** Milliseconds until the next attempt after a refusal. */
const REFUSED = 10_000;

/** Milliseconds to wait for the rest of a burst of events, which a list treats as one change. */
const GATHER = 150;

/** Calls `work` once for a burst of calls; `cancel()` drops a pending call. */
export function gathered(work) {
  let timer = null;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      work();
    }, GATHER);
  };
  soon.cancel = () => clearTimeout(timer);
  return soon;
}
