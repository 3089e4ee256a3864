// A client as those of Remote Monster's web SDK are: one object has one token, one socket and one peer connection, and is
// dead once it is closed.
globalThis.RemonClient = class extends Musician {
  // `tones` are the frequencies of the left and the right channel; without any, it only listens.
  constructor({ tones = [], music = false, meta } = {}) {
    super(globalThis.remonContext ??= new AudioContext({ sampleRate: 48000 }));
    Object.assign(this, { tones, music, meta });
    this.service = "band";
    this.frames = [];
    this.patched = { local: 0, remote: 0 };
    this.waiting = [];
  }

  async init(conference) {
    const answer = await fetch("/rest/init", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        credential: { serviceId: this.service, key: "a-key-of-ours" }, env: { os: "web" }, id: conference, userMeta: this.meta,
      }),
    });
    const reply = await answer.json();
    if (!answer.ok) throw new Error(reply.Error);
    this.token = reply.token;
    await this.open();
    this.tell("onInit", reply.token);
  }

  async open() {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`);
    this.socket = socket;
    socket.onmessage = ({ data }) => this.take(JSON.parse(data));
    socket.onclose = () => { if (!this.isClosed && socket === this.socket) this.reconnect(); };
    await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject(new Error("no socket")); });
  }

  // Up to five tries, as the SDK does.
  async reconnect() {
    for (let attempt = 0; attempt < 5 && !this.isClosed; attempt++) {
      try {
        await this.open();
        return this.send("reconnect");
      } catch { await new Promise((resolve) => setTimeout(resolve, 200)); }
    }
  }

  // A loss of the socket that nobody has asked for.
  async lose() {
    const back = this.once("onReconnect");
    this.socket.close();
    return await back;
  }

  send(command, more = {}) {
    this.socket.send(JSON.stringify({ command, token: this.token, serviceId: this.service, channel: this.channel, ...more }));
  }

  tell(name, detail) {
    this.frames.push({ name, detail });
    super.tell(name, detail);
  }

  seen(name) {
    const found = this.frames.find((frame) => frame.name === name);
    return found ? Promise.resolve(found.detail) : this.once(name);
  }

  async take(frame) {
    for (const [name, value] of Object.entries(frame)) {
      if (name !== "channel" && typeof value !== "string") throw new Error(`${name} is no string`);
    }
    switch (frame.command) {
      case "ping": return this.send("pong", { body: frame.body });
      case "onSdp": await this.described(JSON.parse(frame.body)); break;
      case "onIce": {
        const candidate = JSON.parse(frame.body);
        if (this.peer?.remoteDescription) this.peer.addIceCandidate(candidate); else this.waiting.push(candidate);
        break;
      }
      case "onDisconnectChannel": this.ended("OTHER"); break;
      case "onStateChange": if (frame.body === "CLOSE") this.ended("OTHER_UNEXPECTED"); break;
      case "onReconnect": if (frame.code) this.ended("UNKNOWN"); break;
    }
    this.tell(frame.command, frame);
  }

  ended(type) {
    if (this.closeType) return;
    this.closeType = type;
    this.tell("onClose", type);
  }

  close() {
    this.isClosed = true;
    this.send("disconnect");
    this.socket.close();
    this.peer?.close();
    this.ended("MINE");
  }

  // Media

  connection(isSender, isReceiver) {
    const peer = new RTCPeerConnection();
    this.peer = peer;
    peer.onicecandidate = ({ candidate }) => candidate && this.send("ice", { body: JSON.stringify(candidate) });
    peer.onconnectionstatechange = () => {
      if (peer.connectionState === "connected") {
        this.send("stateChange", { body: "COMPLETE" });
        this.tell("onComplete", performance.now());
      }
      // 3.6 of the protocol: three seconds to come back.
      if (["disconnected", "failed"].includes(peer.connectionState)) {
        setTimeout(() => { if (peer.connectionState !== "connected") this.ended("UNKNOWN"); }, 3000);
      }
    };
    if (isReceiver) peer.ontrack = ({ track }) => { if (track.kind === "audio") this.listen("peer", new MediaStream([track])); };
    if (isSender && this.tones.length) for (const track of this.tone(...this.tones).getTracks()) peer.addTrack(track);
    return peer;
  }

  hears(tones) { return this.listensFor("peer", tones, [], -45); }

  // The two replacements of the audio type "music".
  local(sdp) {
    if (!this.music) return sdp;
    return sdp.replace("a=fmtp:111 minptime=10;useinbandfec=1", () => {
      this.patched.local++;
      return "a=fmtp:111 useinbandfec=1;minptime=10;stereo=1;cbr=1;maxaveragebitrate=128000";
    });
  }

  remote(sdp) {
    if (!this.music) return sdp;
    if (!/a=fmtp:111 minptime=10;useinbandfec=1\r\n/.test(sdp)) throw new Error(`not what the patch looks for: ${sdp}`);
    return sdp.replace("a=rtpmap:111 opus/48000/2\r\n", (line) => {
      this.patched.remote++;
      return `${line}a=fmtp:111 maxaveragebitrate=128000;stereo=1;cbr=1\r\n`;
    });
  }

  async offer(isAnnouncement = false) {
    const offer = await this.peer.createOffer({ offerToReceiveAudio: true, offerToReceiveVideo: true });
    const sdp = this.local(offer.sdp);
    if (!isAnnouncement) await this.peer.setLocalDescription({ type: "offer", sdp });
    this.send("sdp", { body: JSON.stringify({ type: "offer", sdp }) });
  }

  async described({ type, sdp }) {
    await this.peer.setRemoteDescription({ type, sdp: this.remote(sdp) });
    for (const candidate of this.waiting.splice(0)) this.peer.addIceCandidate(candidate);
    if (type !== "offer") return;
    const answer = await this.peer.createAnswer();
    await this.peer.setLocalDescription({ type: "answer", sdp: this.local(answer.sdp) });
    this.send("sdp", { body: JSON.stringify({ type: "answer", sdp: this.peer.localDescription.sdp }) });
  }

  // Calls, casts, conferences

  async connectCall(id) {
    await this.init();
    this.channel = { id, type: "P2P" };
    const begun = performance.now();
    this.connection(true, true);
    const entered = Promise.race([
      this.once("onCreate").then(() => "first"), this.once("onConnect").then(() => "second"),
      this.once("onError").then(({ code }) => code),
    ]);
    this.send("connect");
    const part = await entered;
    if (part === "second") {
      await this.offer();
      await this.seen("onComplete");
      this.time = performance.now() - begun;
    }
    return part;
  }

  async createCast(id) {
    await this.init();
    this.channel = { id, type: "BROADCAST" };
    return await this.begin(true);
  }

  async joinCast(id) {
    await this.init();
    this.channel = { id, type: "VIEWER" };
    return await this.begin(false);
  }

  // The presence, with the own cast on the same socket.
  async createRoom(room) {
    await this.init(room);
    this.channel = { type: "ROOM" };
    return await this.begin(true, { roomId: room });
  }

  async begin(isSender, more) {
    const created = this.once("onCreate");
    this.connection(isSender, !isSender);
    this.send("create", more);
    const { code, channel } = await created;
    if (code) throw new Error(`onCreate ${code}`);
    const done = this.seen("onComplete");
    await this.offer(!isSender);
    await done;
    return channel.id;
  }

  // A conference as RemonConference has it: a viewer for every other cast, from the list and from events.
  async joinConference(room) {
    this.viewers = new Map();
    this.events.addEventListener("onRoomEvent", ({ detail: { body, channel } }) => {
      if (body === "join") this.view(channel.id);
      else {
        this.viewers.get(channel.id)?.close();
        this.viewers.delete(channel.id);
      }
    });
    await this.createRoom(room);
    const list = await (await fetch(`/rest/rooms/${this.service}/${room}?token=${this.token}`)).json();
    for (const { id } of list) if (!id.includes(this.token)) this.view(id);
    return list.length;
  }

  view(id) {
    if (this.viewers.has(id)) return;
    const viewer = new RemonClient();
    this.viewers.set(id, viewer);
    viewer.joinCast(id);
  }

  // Waits until every one of these tones is heard from some viewer.
  hearsAll(tones) {
    return Promise.all(tones.map((tone) => new Promise((resolve) => {
      const look = async () => {
        for (const viewer of this.viewers.values()) {
          const isHeard = await Promise.race([
            viewer.hears([tone]).then(() => true), new Promise((late) => setTimeout(() => late(false), 200)),
          ]);
          if (isHeard) return resolve();
        }
        setTimeout(look, 50);
      };
      look();
    })));
  }
};
