// A client of OpenTok's wire, as OpenTok.js 2.7.5 speaks it: session info, Rumor's frames, Raptor's messages, JSEP.

const Kind = { subscribe: 0, unsubscribe: 1, message: 2, connect: 3, disconnect: 4, ping: 7, pong: 8, status: 9 };

// Frames of Rumor
const rumor = {
  write({ kind, to = [], headers = {}, data = "" }) {
    const bytes = [0, 0, kind, to.length];
    const text = (value) => {
      const part = new TextEncoder().encode(value);
      bytes.push(part.length >> 8, part.length & 255, ...part);
    };
    to.forEach(text);
    bytes.push(Object.keys(headers).length);
    for (const [name, value] of Object.entries(headers)) { text(name); text(value); }
    bytes.push(...new TextEncoder().encode(data));
    const frame = new Uint8Array(4 + bytes.length);
    new DataView(frame.buffer).setUint32(0, bytes.length);
    frame.set(bytes, 4);
    return frame;
  },

  read(buffer) {
    const view = new DataView(buffer);
    if (view.getUint32(0) !== buffer.byteLength - 4) throw new Error("the length of a frame is wrong");
    let offset = 8;
    const text = () => {
      const length = view.getUint16(offset);
      offset += 2 + length;
      return new TextDecoder().decode(new Uint8Array(buffer, offset - length, length));
    };
    const to = Array.from({ length: view.getUint8(7) }, text);
    const count = view.getUint8(offset++);
    const headers = {};
    for (let index = 0; index < count; index++) { const name = text(); headers[name] = text(); }
    return { kind: view.getUint8(6), to, headers, data: new TextDecoder().decode(new Uint8Array(buffer, offset)) };
  },
};

// What an application's server does.
globalThis.openTokServer = class {
  constructor(key, secret) { this.key = key; this.secret = secret; }

  async token(claims) {
    const encode = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    const utf8 = (text) => new TextEncoder().encode(text);
    const now = Math.floor(Date.now() / 1000);
    const head = encode(utf8(JSON.stringify({ alg: "HS256", typ: "JWT" })));
    const body = encode(utf8(JSON.stringify({ iss: this.key, ist: "project", iat: now, exp: now + 180, ...claims })));
    const key = await crypto.subtle.importKey("raw", utf8(this.secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const code = await crypto.subtle.sign("HMAC", key, utf8(`${head}.${body}`));
    return `${head}.${body}.${encode(new Uint8Array(code))}`;
  }

  async createSession() {
    const answer = await fetch("/session/create", {
      method: "POST",
      headers: {
        "X-OPENTOK-AUTH": await this.token({}), Accept: "application/json",
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: "p2p.preference=disabled&archiveMode=manual",
    });
    if (!answer.ok) throw new Error(`session/create: ${answer.status} ${await answer.text()}`);
    return (await answer.json())[0].session_id;
  }

  clientToken(session_id, role, connection_data) {
    return this.token({ session_id, role, connection_data, scope: "session.connect", nonce: Math.random() });
  }
};

globalThis.OpenTokClient = class extends Musician {
  constructor(sessionID, token, frequency) {
    super();
    Object.assign(this, { sessionID, token, frequency });
    this.id = crypto.randomUUID();
    this.socketID = crypto.randomUUID();
    this.callbacks = new Map();
    this.pending = [];
    this.received = new Set();
    this.connections = new Map();
    this.streams = new Map();
    this.archives = new Map();
    this.signals = [];
    this.log = [];
    this.publishers = new Map();
    this.subscribers = new Map();
    this.sockets = 0;
    this.duplicates = 0;
  }

  // Session info

  async connect() {
    const answer = await fetch(`/session/${this.sessionID}?extended=true`, {
      headers: { "X-TB-TOKEN-AUTH": this.token, "X-TB-VERSION": "1" },
    });
    const [info] = await answer.json();
    if (info.error) throw Object.assign(new Error(info.error.errorMessage.message), { code: info.error.code });
    if (!info.symphony_address.startsWith("symphony.")) throw new Error("the address is not known to clients");
    this.info = info;
    this.base = `/v2/partner/${info.partner_id}/session/${this.sessionID}`;
    const connect = { kind: Kind.connect, headers: {
      uniqueId: this.id, "TRANSACTION-ID": crypto.randomUUID(), notifyDisconnectAddress: info.symphony_address,
    } };
    this.pending.push(connect);
    await this.open(false);
    this.send({ kind: Kind.subscribe, to: [this.base] });
    await this.request("create", `/connection/${this.id}`, { userAgent: "test", clientVersion: "js-2.7.5" }, {
      "X-TB-TOKEN-AUTH": this.token,
    });
    const state = await this.request("read", "", {});
    for (const connection of state.content.connection) this.connections.set(connection.id, connection);
    for (const stream of state.content.stream) this.streams.set(stream.id, stream);
    for (const archive of state.content.archive) this.archives.set(archive.id, archive);
    this.me = this.connections.get(this.id);
    if (!this.me) throw new Error("the session does not have this client");
  }

  // Rumor

  open(isReturning) {
    const query = `?socketId=${this.socketID}${isReturning ? "&reconnect=true" : ""}&attempt=${crypto.randomUUID()}`;
    const socket = new WebSocket(this.info.messaging_url + query);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = ({ data }) => this.take(rumor.read(data));
    socket.onclose = ({ code, reason }) => { if (this.socket === socket) this.lost(code, reason); };
    return new Promise((resolve) => {
      socket.onopen = () => {
        this.sockets += 1;
        for (const frame of this.pending) this.send(frame);
        this.pending = this.pending.filter(({ kind }) => kind !== Kind.connect);
        this.keepAlive = setInterval(() => this.send({ kind: Kind.ping }), 5000);
        resolve();
      };
    });
  }

  lost(code, reason) {
    clearInterval(this.keepAlive);
    this.log.push(`closed ${code} ${reason}`);
    if (code === 1000 || code === 1001 || code === 1011 || this.isLeaving) {
      this.closing = { code, reason };
      return;
    }
    setTimeout(() => this.open(true), 500);
  }

  // A socket that breaks: not closed as by a goodbye.
  cut() { this.socket.close(4001); }

  send(frame) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(rumor.write(frame)); }

  take({ kind, to, headers, data }) {
    if (kind === Kind.pong) { this.pongs = (this.pongs ?? 0) + 1; return; }
    const transaction = headers["TRANSACTION-ID"];
    this.pending = this.pending.filter((frame) => frame.headers["TRANSACTION-ID"] !== transaction);
    if (kind === Kind.status) {
      this.settle(transaction, headers.STATUS, data);
      return;
    }
    this.send({ kind: Kind.status, to, headers: { "TRANSACTION-ID": transaction, "X-TB-FROM-ADDRESS": this.id } });
    if (this.received.has(transaction)) { this.duplicates += 1; return; }
    this.received.add(transaction);
    this.dispatch(JSON.parse(data), headers["X-TB-FROM-ADDRESS"], transaction);
  }

  settle(transaction, status, data) {
    const callback = this.callbacks.get(transaction);
    this.callbacks.delete(transaction);
    if (!callback) return;
    const body = data ? JSON.parse(data) : {};
    if (status?.startsWith("2")) callback.resolve(body);
    else callback.reject(Object.assign(new Error(body.message ?? status), { code: Number(status) }));
  }

  // Raptor

  request(method, tail, content, headers = {}) {
    const transaction = crypto.randomUUID();
    const frame = {
      kind: Kind.message, to: [this.info.symphony_address],
      headers: { ...headers, "Content-Type": "application/x-raptor+v2", "TRANSACTION-ID": transaction, "X-TB-FROM-ADDRESS": this.id },
      data: JSON.stringify({ method, uri: this.base + tail, content }),
    };
    this.pending.push(frame);
    this.send(frame);
    return new Promise((resolve, reject) => this.callbacks.set(transaction, { resolve, reject }));
  }

  // The code of a request that is refused; 0 for one that is not.
  code(method, tail, content = {}) { return this.request(method, tail, content).then(() => 0, ({ code }) => code); }

  dispatch(message, from, transaction) {
    const tail = message.uri.slice(this.base.length).split("/").slice(1);
    this.log.push(`${message.method} ${tail.join(" ")} ${message.reason ?? ""}`.trim());
    if (message.method === "read") {
      this.callbacks.get(transaction)?.resolve(message);
      this.callbacks.delete(transaction);
      return;
    }
    const [kind, id, part, name] = tail;
    const { content } = message;
    switch (kind) {
      case "connection":
        if (message.method === "created") this.connections.set(id, content);
        else if (id === this.id) this.disconnected = message.reason;
        else this.connections.delete(id);
        break;
      case "archive":
        if (message.method === "created") this.archives.set(id, content);
        else Object.assign(this.archives.get(id) ?? {}, content);
        break;
      case "signal": this.signals.push({ from, ...content }); break;
      case "stream":
        if (part === "subscriber") this.jsep(this.subscribers.get(name), message);
        else if (part === "channel") this.streams.get(id).channel.find((channel) => channel.id === name).active = content.active;
        else if (message.method === "created") this.streams.set(id, content);
        else if (message.method === "updated") Object.assign(this.streams.get(id), content);
        else if (message.method === "deleted") this.streams.delete(id);
        else this.jsep(this.publishers.get(id), message, from);
        break;
      default: throw new Error(`what is ${message.uri}?`);
    }
  }

  // JSEP

  async jsep(peer, { method, uri, content }, from) {
    if (!peer) return;
    if (from !== undefined && !from.startsWith("symphony.")) throw new Error(`who is ${from}?`);
    const tail = uri.slice(this.base.length);
    switch (method) {
      case "generateoffer":
        await peer.setLocalDescription();
        await this.request("offer", tail, { sdp: peer.localDescription.sdp });
        break;
      case "offer":
        await peer.setRemoteDescription({ type: "offer", sdp: content.sdp });
        await peer.setLocalDescription();
        await this.request("answer", tail, { sdp: peer.localDescription.sdp });
        break;
      case "answer": await peer.setRemoteDescription({ type: "answer", sdp: content.sdp }); break;
      case "candidate": await peer.addIceCandidate(content); break;
    }
  }

  peer(tail) {
    const peer = new RTCPeerConnection();
    peer.onicecandidate = ({ candidate }) => {
      if (!candidate) return;
      const { sdpMid, sdpMLineIndex } = candidate;
      this.request("candidate", tail, { candidate: candidate.candidate, sdpMid: sdpMid ?? "", sdpMLineIndex: sdpMLineIndex ?? 0 });
    };
    return peer;
  }

  // With a picture, as a camera would have it; the answer declines it.
  async publish(name, tone = this.frequency) {
    const id = crypto.randomUUID();
    const peer = this.peer(`/stream/${id}`);
    const sound = this.tone(tone);
    peer.addTrack(sound.getAudioTracks()[0], sound);
    const canvas = Object.assign(document.createElement("canvas"), { width: 16, height: 16 });
    canvas.getContext("2d");
    peer.addTrack(canvas.captureStream(5).getVideoTracks()[0], sound);
    this.publishers.set(id, peer);
    const { content } = await this.request("create", `/stream/${id}`, {
      id, name, audioFallbackEnabled: true,
      channel: [{ id: "audio1", type: "audio", active: true }, { id: "video1", type: "video", active: true, width: 16, height: 16 }],
    });
    if (!Array.isArray(content.iceServers)) throw new Error("the status has no ICE servers");
    this.streamID = id;
    return id;
  }

  async subscribe(stream) {
    const id = crypto.randomUUID();
    const peer = this.peer(`/stream/${stream}/subscriber/${id}`);
    this.subscribers.set(id, peer);
    peer.ontrack = ({ track }) => this.listen(stream, new MediaStream([track]));
    await this.request("create", `/stream/${stream}/subscriber/${id}`, {
      id, connection: this.id, keyManagementMethod: "DTLS_SRTP", bundleSupport: true, rtcpMuxSupport: true,
      channel: [{ id: "audio1", type: "audio", active: true }],
    });
    return id;
  }

  hears(stream, tone) { return this.listensFor(stream, [tone]); }
  hearsNothing(stream, tone) { return this.listensFor(stream, [], [tone]); }

  // The stream of a connection by its data.
  async streamOf(data) {
    const find = () => [...this.streams.values()].find(({ connection }) => this.connections.get(connection.id)?.data === data);
    await this.until(find);
    return find().id;
  }

  // The stream of a name.
  async streamNamed(name) {
    const find = () => [...this.streams.values()].find((stream) => stream.name === name);
    await this.until(find);
    return find().id;
  }

  connectionOf(data) { return [...this.connections.values()].find((connection) => connection.data === data)?.id; }

  signal(type, data, to) {
    return this.request("signal", `${to ? `/connection/${to}` : ""}/signal/${crypto.randomUUID()}`, { type, data });
  }

  async disconnect() {
    this.isLeaving = true;
    this.send({ kind: Kind.disconnect });
    for (const peer of [...this.publishers.values(), ...this.subscribers.values()]) peer.close();
    await this.until(() => this.closing);
  }
};
