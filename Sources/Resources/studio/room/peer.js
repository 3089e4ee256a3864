/** How long a path may be disconnected before a restart is offered: browsers often recover by themselves. */
const DISCONNECTED_PATIENCE = 2000;

/** One peer connection: our microphone to the server, or one musician to our ears. */
export class Peer {
  /** @type {false} */
  isDirect = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {(ready?: unknown) => void} */
  #isReady = () => {};
  #ready = new Promise((resolve) => { this.#isReady = resolve; });
  #onBroken;

  /** `onBroken` is called with this peer once the server no longer knows the connection and a new one is needed.
   * @param {string} label @param {Link} link @param {RTCIceServer[]} iceServers @param {(peer: Peer) => void} onBroken */
  constructor(label, link, iceServers, onBroken) {
    this.label = label;
    this.link = link;
    this.#onBroken = onBroken;
    this.connection = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle" });
    this.connection.onicecandidate = ({ candidate }) => {
      link.request("candidate", { peer: label, candidate: candidate?.toJSON() ?? null }).catch(() => {});
    };
    this.connection.onconnectionstatechange = () => {
      clearTimeout(this.#timer);
      const state = this.connection.connectionState;
      if (state === "disconnected") this.#timer = setTimeout(() => this.restart(), DISCONNECTED_PATIENCE);
      if (state === "failed") this.restart();
    };
  }

  /** Accepts the server's offer; `prepare` sets tracks and directions between the two descriptions.
   * @param {string} sdp @param {(transceiver: RTCRtpTransceiver) => unknown} prepare */
  async answer(sdp, prepare) {
    await this.connection.setRemoteDescription({ type: "offer", sdp });
    await prepare(this.connection.getTransceivers()[0]);
    const answer = await this.connection.createAnswer();
    await this.connection.setLocalDescription(answer);
    this.#isReady();
    await this.link.request("answer", { peer: this.label, sdp: this.connection.localDescription?.sdp ?? answer.sdp });
  }

  /** @param {RTCIceCandidateInit | null} candidate */
  async addCandidate(candidate) {
    await this.#ready;
    await this.connection.addIceCandidate(candidate ?? undefined).catch(() => {});
  }

  /** Restarts ICE, as after a change of network. */
  async restart() {
    if (!this.link.isOpen || this.connection.signalingState !== "stable") return;
    try {
      this.connection.restartIce();
      await this.connection.setLocalDescription();
      const offer = this.connection.localDescription?.sdp;
      const { sdp } = await this.link.request("restart", { peer: this.label, sdp: offer });
      await this.connection.setRemoteDescription({ type: "answer", sdp });
    } catch {
      if (this.link.isOpen) this.#onBroken(this);
    }
  }

  get isAlive() { return ["new", "connecting", "connected", "disconnected"].includes(this.connection.connectionState); }

  close() {
    clearTimeout(this.#timer);
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }
}
