// The server's events (docs/events.md, section 2) for as long as a view is open. The browser comes back by itself and
// asks for what it missed; where that is gone, `reset` says to look anew.

/** Calls `handlers[type](data)`, `handlers.reset()` among them; answers a function that ends it. */
export function followEvents(types, handlers) {
  const source = new EventSource(`/v1/events?types=${types.map(encodeURIComponent).join(",")}`);
  for (const [type, handler] of Object.entries(handlers)) {
    source.addEventListener(type, (event) => handler(JSON.parse(event.data)));
  }
  return () => source.close();
}
