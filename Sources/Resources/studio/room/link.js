import { Refusal } from "../base/refusal.js";

/** The close code of a link that is to be opened again: 1000 would give the seat up. */
const COMING_BACK = 4000;

/** One signaling link to a room (docs/protocol.md); emits "event" and "closed". Opening it again replaces it. */
export class Link extends /** @type {EmitterOf<{ event: ServerEvent, closed: { code: number, reason: string } }>} */ (EventTarget) {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #lastID = 0;

  /** @param {string} room */
  constructor(room) {
    super();
    this.room = room;
  }

  get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

  open() {
    this.drop();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/v1/rooms/${encodeURIComponent(this.room)}/signal`);
    this.#socket = socket;
    // The requests of this socket alone: a former one may report its end late.
    const pending = this.#pending = new Map();
    return new Promise((resolve, reject) => {
      // Handlers are set before the first await: the server may speak first.
      socket.onmessage = ({ data }) => this.#receive(JSON.parse(data), pending);
      socket.onopen = resolve;
      socket.onclose = ({ code, reason }) => {
        const refusal = new Refusal("unavailable", "The server cannot be reached. Check the network, then try again.");
        reject(refusal);
        for (const { reject } of pending.values()) reject(refusal);
        pending.clear();
        if (this.#socket !== socket) return;
        this.#socket = null;
        this.dispatchEvent(new CustomEvent("closed", { detail: { code, reason } }));
      };
    });
  }

  /** Sends a request; the promise resolves to the result or rejects with a Refusal.
   * @param {string} method */
  request(method, params = {}) {
    if (!this.isOpen) return Promise.reject(new Refusal("unavailable", "The link to the server is down."));
    const id = ++this.#lastID;
    this.#socket?.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Ends the link for good; the server gives the seat up. */
  close() { this.#end(1000); }

  /** Ends the link and keeps the seat for the next one. */
  drop() { this.#end(COMING_BACK); }

  /** @param {number} code */
  #end(code) {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }

  /** @param {any} message @param {Map<number, { resolve(result: any): void, reject(refusal: Refusal): void }>} requests */
  #receive(message, requests) {
    if (message.event) {
      this.dispatchEvent(new CustomEvent("event", { detail: message }));
      return;
    }
    const pending = requests.get(message.id);
    requests.delete(message.id);
    if (message.error) {
      const { code, message: text, retryAfter } = message.error;
      const refusal = new Refusal(code, text, { retryAfter: retryAfter ?? null });
      if (pending) pending.reject(refusal);
      else console.error("the server could not read a message from this page:", refusal.message);
    } else {
      pending?.resolve(message.result);
    }
  }
}
