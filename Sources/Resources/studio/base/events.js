// The server's events (docs/events.md, section 2) for as long as a view is open. The browser comes back by itself and
// asks for what it missed; where that is gone, `reset` says to look anew.

/**
 * Calls `handlers[type](data)`; `reset()` where events are gone that were missed; `open()` whenever the stream is there:
 * what happened before it was for the first time, nobody tells. Answers a function that ends it.
 */
export function followEvents({ reset, open, ...handlers }) {
  const types = Object.keys(handlers);
  const source = new EventSource(`/v1/events?types=${types.map(encodeURIComponent).join(",")}`);
  for (const type of types) source.addEventListener(type, (event) => handlers[type](JSON.parse(event.data)));
  source.addEventListener("reset", () => reset());
  if (open) source.addEventListener("open", () => open());
  return () => source.close();
}

/** A burst of events is one change to whoever shows a list: milliseconds to wait for the rest of it. */
const GATHER = 150;

/** Calls `work` once for all calls of a moment; `cancel()` forgets those that wait. */
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
