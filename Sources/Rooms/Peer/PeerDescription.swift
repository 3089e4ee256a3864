import Machines
import Realtime

/// The offer/answer side of one peer connection: our agent's transport lines around Realtime's pure negotiation.
struct PeerDescription {
  /// Our offer, where we made it.
  var localOffer: SessionDescription?
  /// Offers and answers of ours so far; the o= line's version rises with each.
  var version: UInt64 = 0
  let sessionID: UInt64
  let role: Negotiation.Role
  let audio: AudioPreferences
  let fingerprint: Fingerprint
  let ssrc: UInt32
  let cname: String
  /// Kept over ICE restarts: a handshake that is done has its roles.
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

  /// Our answer to `offer`, and what was agreed.
  /// - Throws: `NegotiationError`, with a sentence that says what the offer lacks.
  mutating func answer(
    to offer: SessionDescription, transport: LocalTransport
  ) throws(NegotiationError) -> (text: String, session: NegotiatedSession) {
    version += 1
    let (answer, session) = try Negotiation.answer(
      to: offer, role: role, transport: transport, preferences: audio, ssrc: ssrc, cname: cname, sessionID: sessionID,
      version: version, dtlsRole: dtlsRole)
    dtlsRole = session.dtlsRole
    return (answer.text, session)
  }

  /// Our offer.
  mutating func offer(transport: LocalTransport) -> String {
    version += 1
    let offer = Negotiation.offer(
      role: role, transport: transport, preferences: audio, ssrc: ssrc, cname: cname, sessionID: sessionID,
      version: version)
    localOffer = offer
    return offer.text
  }

  /// What `answer` makes of our offer.
  /// - Throws: `NegotiationError`.
  mutating func accept(_ answer: SessionDescription) throws(NegotiationError) -> NegotiatedSession? {
    guard let localOffer else { return nil }
    let session = try Negotiation.accept(answer: answer, to: localOffer, role: role, preferences: audio)
    dtlsRole = session.dtlsRole
    return session
  }
}
