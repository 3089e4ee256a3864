/// Offer and answer (RFC 3264, RFC 9429) for the one thing Jamjar does: one Opus stream in one direction, or one each way.
///
/// Pure: descriptions in, descriptions and a `NegotiatedSession` out. Seen from the server; the client side of the
/// demo and the bot uses the same functions with the roles swapped.
package enum Negotiation {
  /// Which way the audio flows.
  package enum Role: Sendable, Hashable {
    /// The peer sends, we receive: a publication, seen from the server.
    case receiveFromPeer
    /// We send, the peer receives: a subscription, seen from the server.
    case sendToPeer
    /// Both send: a publication that comes back to whoever sends it.
    case exchangeWithPeer

    /// What our own section says.
    var ownDirection: NegotiatedSession.Direction {
      switch self {
      case .receiveFromPeer: .receiveOnly
      case .sendToPeer: .sendOnly
      case .exchangeWithPeer: .sendAndReceive
      }
    }

    /// The peer sends audio on this connection.
    var peerSends: Bool { self != .sendToPeer }

    /// True where the peer's direction lets the audio flow our way.
    func fits(_ direction: NegotiatedSession.Direction) -> Bool {
      self == .exchangeWithPeer ? direction == .sendAndReceive : direction.allows(peerSends: peerSends)
    }
  }

  /// Transports that carry DTLS-SRTP; RFC 9429 §5.1.2 asks for the short names too.
  static let transports: Set<String> = [
    "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP", "TCP/TLS/RTP/SAVPF",
    "TCP/TLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP",
  ]
  /// What our offers say.
  static let ownTransport = "UDP/TLS/RTP/SAVPF"
  /// The port of a section whose address ICE will tell (RFC 8840 §4.1.1).
  static let portByICE: UInt16 = 9
}

extension Negotiation {
  /// The payload type of Opus in our offers: the one that every browser gives it.
  static let ownOpusPayloadType: UInt8 = 111
  /// The payload type of RED in our offers, Chromium's.
  static let ownREDPayloadType: UInt8 = 63
  /// The name of the one section of our offers.
  static let ownMid = "0"

  /// An offer of one Opus section in the role's direction, with everything that we would take from an answer.
  ///
  /// `version` rises with every offer of one session; a new offer with new credentials restarts ICE.
  package static func offer(
    role: Role, transport: LocalTransport, preferences: AudioPreferences = AudioPreferences(), ssrc: UInt32? = nil,
    cname: String, sessionID: UInt64, version: UInt64 = 1
  ) -> SessionDescription {
    var extensions = NegotiatedSession.ExtensionIDs()
    for known in HeaderExtension.Known.allCases { extensions[known] = known.ownID }
    let audio = LocalAudio(
      mid: ownMid, transport: ownTransport, direction: role.ownDirection, opusPayloadType: ownOpusPayloadType,
      redPayloadType: ownREDPayloadType, extensions: extensions, reducedSizeRTCP: true, allowsFeedback: true,
      preferences: preferences, ssrc: ssrc, cname: cname)
    return SessionDescription(
      origin: SDPOrigin(sessionID: String(sessionID), sessionVersion: String(version)),
      attributes: [SDPAttribute("group", "BUNDLE " + ownMid)],
      media: [audio.section(transport: transport.attributes(setup: .actpass))])
  }
}

extension Negotiation {
  /// Takes the answer to our offer, and tells what was agreed on.
  ///
  /// Throws where the answer does not answer this offer: other sections, audio refused, Opus moved to another payload
  /// type, no role for DTLS, or a transport that we cannot use. `preferences` are those of the offer.
  package static func accept(
    answer: SessionDescription, to offer: SessionDescription, role: Role,
    preferences: AudioPreferences = AudioPreferences()
  ) throws(NegotiationError) -> NegotiatedSession {
    guard answer.media.count == offer.media.count else {
      throw .sectionCount(offered: offer.media.count, answered: answer.media.count)
    }
    for (index, (offered, answered)) in zip(offer.media, answer.media).enumerated() {
      guard matches(answered, offered) else { throw .sectionMismatch(section: index + 1) }
    }
    // Ours has one; a description of several is answered where ours stands first.
    guard let index = offer.media.firstIndex(where: { $0.media == "audio" }),
      let offered = AudioSection(of: offer, at: index)
    else { throw .noAudio }
    guard answer.media[index].port != 0 else { throw .audioRefused }
    guard let audio = AudioSection(of: answer, at: index) else { throw .noOpus }
    guard role.fits(audio.direction) else { throw .directionMismatch(role: role, found: audio.direction) }
    guard audio.opusPayloadType == offered.opusPayloadType else {
      throw .payloadTypeMoved(offered: offered.opusPayloadType, answered: audio.opusPayloadType)
    }
    guard audio.hasRTCPMux else { throw .noRTCPMux }
    let remote = try RemoteTransport(of: answer, section: index)

    var session = session(
      audio: audio, remote: remote, role: role, dtlsRole: try DTLSSetup.role(answered: remote.setup))
    session.mid = offered.mid
    if audio.redPayloadType != offered.redPayloadType {
      session.redPayloadType = nil
      session.remotePrefersRED = false
    }
    let peerSends = role.peerSends
    session.extensions = NegotiatedSession.ExtensionIDs(reading: answer.media[index].attributes, peerSends: peerSends)
      .common(with: NegotiatedSession.ExtensionIDs(reading: offer.media[index].attributes, peerSends: !peerSends))
    session.nackAgreed = session.nackAgreed && offered.hasNACK
    session.reducedSizeRTCP = session.reducedSizeRTCP && offered.hasReducedSizeRTCP
    return session
  }

  /// The same kind of media under the same name; a missing mid is forgiven, as old peers answer without.
  private static func matches(_ answered: MediaDescription, _ offered: MediaDescription) -> Bool {
    guard answered.media == offered.media, answered.mid == nil || answered.mid == offered.mid else { return false }
    // Old peers answer UDP/TLS/RTP/SAVPF with RTP/SAVPF; both mean DTLS-SRTP here.
    return answered.transport == offered.transport || answered.port == 0
      || (transports.contains(answered.transport) && transports.contains(offered.transport))
  }
}
