// A musician as the clients of Kurento Room and Kurento Tree are: JSON-RPC over a plain WebSocket, one peer connection
// for what it sends and one for everything that it hears; the client always offers.
globalThis.KurentoMusician = class extends Musician {
  // With a transport it speaks by SockJS, whose client has to be on the page.
  constructor(path, frequency, transport) {
    super();
    this.path = path;
    this.transport = transport;
    this.frequency = frequency;
    this.peers = new Map();
    this.pending = new Map();
    this.notifications = [];
    this.nextID = 0;
  }

  async open() {
    this.socket = this.transport
      ? new SockJS(this.path, null, { transports: [this.transport] })
      : new WebSocket(`${location.origin.replace("http", "ws")}${this.path}`);
    this.socket.onmessage = ({ data }) => this.take(JSON.parse(data));
    this.socket.onclose = ({ code, reason }) => {
      clearInterval(this.pings);
      for (const { reject } of this.pending.values()) reject(new Error(`the socket was closed: ${code} ${reason}`));
      this.tell("closed", { code, reason });
    };
    await new Promise((resolve, reject) => {
      this.socket.onopen = resolve;
      this.socket.onerror = () => reject(new Error(`no WebSocket at ${this.path}`));
    });
    // As kurento-jsonrpc-js does: the first ping, with the interval, is the first message. Without others the service
    // would close the socket after three intervals.
    await this.call("ping", { interval: 3000 });
    this.pings = setInterval(() => this.call("ping", {}).catch(() => {}), 3000);
  }

  async call(method, params) {
    if (this.socket.readyState !== 1) throw new Error(`${method}: the socket is closed`);
    const id = this.nextID++;
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  take(message) {
    if (message.method === undefined) {
      const { resolve, reject } = this.pending.get(message.id);
      this.pending.delete(message.id);
      if (message.error) reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
      else resolve(message.result);
      return;
    }
    if ("id" in message || message.params === undefined) throw new Error("a notification has params and no id");
    this.notifications.push(message);
    if (message.method === "iceCandidate") {
      const { endpointName, sinkId, ...candidate } = message.params;
      this.peers.get(endpointName ?? sinkId ?? "source")?.addIceCandidate(candidate);
    }
    this.tell(message.method, message.params);
  }

  // An offer as kurento-utils makes it: for what is heard, video is asked for too.
  async offer(name, direction, withVideo = direction === "recvonly") {
    const peer = new RTCPeerConnection();
    this.peers.set(name, peer);
    if (direction === "recvonly") peer.addTransceiver("audio", { direction });
    else for (const track of this.tone(this.frequency).getTracks()) peer.addTransceiver(track, { direction });
    if (withVideo) peer.addTransceiver("video", { direction: "recvonly" });
    if (direction !== "sendonly") {
      peer.ontrack = ({ track }) => { if (track.kind === "audio") this.listen(name, new MediaStream([track])); };
    }
    await peer.setLocalDescription();
    return peer;
  }

  hears(name, tones, others) { return this.listensFor(name, tones, others); }

  // Room

  async join(room, user) {
    this.room = room;
    this.user = user;
    const { value } = await this.call("joinRoom", { user, room, dataChannels: false });
    for (const { id, streams } of value) if (streams.length > 0) this.receive(id);
    this.events.addEventListener("participantPublished", ({ detail }) => this.receive(detail.id));
    return value;
  }

  async publish(doLoopback = false) {
    const peer = await this.offer(this.user, doLoopback ? "sendrecv" : "sendonly");
    peer.onicecandidate = ({ candidate }) => candidate && this.candidate(this.user, candidate);
    const { sdpAnswer } = await this.call("publishVideo", { sdpOffer: peer.localDescription.sdp, doLoopback });
    await peer.setRemoteDescription({ type: "answer", sdp: sdpAnswer });
  }

  async receive(user) {
    const peer = await this.offer(user, "recvonly");
    peer.onicecandidate = ({ candidate }) => candidate && this.candidate(user, candidate);
    const { sdpAnswer } = await this.call("receiveVideoFrom", {
      sender: `${user}_webcam`, sdpOffer: peer.localDescription.sdp,
    });
    await peer.setRemoteDescription({ type: "answer", sdp: sdpAnswer });
  }

  candidate(endpointName, { candidate, sdpMid, sdpMLineIndex }) {
    return this.call("onIceCandidate", { endpointName, candidate, sdpMid, sdpMLineIndex });
  }

  async leave() {
    const closed = this.once("closed");
    await this.call("leaveRoom", {});
    for (const peer of this.peers.values()) peer.close();
    return await closed;
  }

  // Tree

  async sendTree(treeId) {
    await this.call("createTree", { treeId });
    const peer = await this.offer("source", "sendonly");
    const { answerSdp } = await this.call("setTreeSource", { treeId, offerSdp: peer.localDescription.sdp });
    await peer.setRemoteDescription({ type: "answer", sdp: answerSdp });
  }

  async viewTree(treeId) {
    const peer = await this.offer("pending", "recvonly");
    peer.ontrack = ({ track }) => { if (track.kind === "audio") this.listen("tree", new MediaStream([track])); };
    const { answerSdp, sinkId } = await this.call("addTreeSink", { treeId, offerSdp: peer.localDescription.sdp });
    this.peers.set(sinkId, peer);
    await peer.setRemoteDescription({ type: "answer", sdp: answerSdp });
    return sinkId;
  }

  // WHEP

  async whep(path, name) {
    const peer = await this.offer(name, "recvonly", false);
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/sdp" }, body: peer.localDescription.sdp,
    });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
  }
};
