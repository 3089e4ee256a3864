import Machines
import Realtime

/// Offer and answer of one peer connection: adds our agent's transport attributes to Realtime's pure negotiation.
struct PeerDescription {
  /// Our offer, if we made one.
  var localOffer: SessionDescription?
  /// Number of our offers and answers so far; the o= line's version increases with each.
  var version: UInt64 = 0
  let sessionID: UInt64
  let role: Negotiation.Role
  let audio: AudioPreferences
  let fingerprint: Fingerprint
  let ssrc: UInt32
  let cname: String
  /// Of the peer's last description.
  private(set) var remoteCredentials: NegotiatedSession.ICECredentials?
  /// Kept over ICE restarts: a completed handshake has fixed its roles.
  var dtlsRole: NegotiatedSession.DTLSRole?

  init(
    role: Negotiation.Role, audio: AudioPreferences, fingerprint: Fingerprint, ssrc: UInt32, cname: String
  ) {
    self.role = role
    self.audio = audio
    self.fingerprint = fingerprint
    self.ssrc = ssrc
    self.cname = cname
    // RFC 8829 §5.2.1: 63 random bits.
    sessionID = UInt64.random(in: 1...UInt64.max >> 1)
  }

  /// Returns our answer to `offer`, and the negotiated session.
  /// - Throws: `NegotiationError`, whose sentence names the fault of the offer.
  mutating func answer(
    to offer: SessionDescription, transport: LocalTransport
  ) throws(NegotiationError) -> (text: String, session: NegotiatedSession) {
    version += 1
    let (answer, session) = try Negotiation.answer(
      to: offer, role: role, transport: transport, preferences: audio, ssrc: ssrc, cname: cname, sessionID: sessionID,
      version: version, dtlsRole: dtlsRole)
    dtlsRole = session.dtlsRole
    remoteCredentials = session.remoteCredentials
    return (answer.text, session)
  }

  /// Returns our offer.
  mutating func offer(transport: LocalTransport) -> String {
    version += 1
    let offer = Negotiation.offer(
      role: role, transport: transport, preferences: audio, ssrc: ssrc, cname: cname, sessionID: sessionID,
      version: version)
    localOffer = offer
    return offer.text
  }

  /// Accepts the `answer` to our offer and returns the negotiated session.
  /// - Throws: `NegotiationError`.
  mutating func accept(_ answer: SessionDescription) throws(NegotiationError) -> NegotiatedSession? {
    guard let localOffer else { return nil }
    let session = try Negotiation.accept(answer: answer, to: localOffer, role: role, preferences: audio)
    dtlsRole = session.dtlsRole
    remoteCredentials = session.remoteCredentials
    return session
  }
}
