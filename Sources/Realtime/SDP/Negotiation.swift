/// Offer and answer (RFC 3264, RFC 9429) for Jamjar's only kind of session: one Opus stream in one or in both
/// directions.
///
/// Pure functions: descriptions in, descriptions and a `NegotiatedSession` out. Names follow the server's point of
/// view; the clients in the demo and the bot call the same functions with the roles swapped.
///
/// ```swift
/// let offer = try SessionDescription(parsing: text)
/// let (answer, session) = try Negotiation.answer(
///   to: offer, role: .receiveFromPeer, transport: transport, cname: "jamjar", sessionID: 1)
/// send(answer.text)
/// ```
package enum Negotiation {
  /// The direction of the audio.
  package enum Role: Sendable, Hashable {
    /// The peer sends, we receive: a publication from the server's point of view.
    case receiveFromPeer
    /// We send, the peer receives: a subscription from the server's point of view.
    case sendToPeer
    /// Both send: a publication looped back to its sender.
    case exchangeWithPeer

    /// The direction of our own section.
    var ownDirection: NegotiatedSession.Direction {
      switch self {
      case .receiveFromPeer: .receiveOnly
      case .sendToPeer: .sendOnly
      case .exchangeWithPeer: .sendAndReceive
      }
    }

    /// True if the peer sends audio on this connection.
    var peerSends: Bool { self != .sendToPeer }

    /// True if the peer's direction is compatible.
    func fits(_ direction: NegotiatedSession.Direction) -> Bool {
      self == .exchangeWithPeer ? direction == .sendAndReceive : direction.allows(peerSends: peerSends)
    }

    /// What remains of the role after an answer; nil if nothing does. Somebody without a microphone, or who hears
    /// nothing, answers half of an exchange (RFC 3264 §6.1).
    func left(by direction: NegotiatedSession.Direction) -> Role? {
      switch (self, direction) {
      case (.exchangeWithPeer, .sendOnly): .receiveFromPeer
      case (.exchangeWithPeer, .receiveOnly): .sendToPeer
      default: fits(direction) ? self : nil
      }
    }
  }

  /// Transports with DTLS-SRTP; RFC 9429 §5.1.2 also requires the short names.
  static let transports: Set<String> = [
    "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP", "TCP/TLS/RTP/SAVPF",
    "TCP/TLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP",
  ]
  /// The transport in our offers.
  static let ownTransport = "UDP/TLS/RTP/SAVPF"
  /// The port of a section whose address ICE determines (RFC 8840 §4.1.1).
  static let portByICE: UInt16 = 9
}

extension Negotiation {
  /// The payload type of Opus in our offers, the same as in every browser.
  static let ownOpusPayloadType: UInt8 = 111
  /// The payload type of RED in our offers, the same as in Chromium.
  static let ownREDPayloadType: UInt8 = 63
  /// The mid of the single section in our offers.
  static let ownMid = "0"

  /// Creates an offer of one Opus section with the role's direction and everything that we accept in an answer.
  ///
  /// `version` increases with every offer of a session; a new offer with new credentials restarts ICE.
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
  /// Accepts the answer to our offer and returns the negotiated session.
  ///
  /// Throws if the answer does not match the offer: different sections, audio refused, Opus with another payload
  /// type, no DTLS role, or an unusable transport. `preferences` are those of the offer.
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
    // Our offers have one audio section; in a description with several, ours is the first.
    guard let index = offer.media.firstIndex(where: { $0.media == "audio" }),
      let offered = AudioSection(of: offer, at: index)
    else { throw .noAudio }
    guard answer.media[index].port != 0 else { throw .audioRefused }
    guard let audio = AudioSection(of: answer, at: index) else { throw .noOpus }
    guard let left = role.left(by: audio.direction) else {
      throw .directionMismatch(role: role, found: audio.direction)
    }
    guard audio.opusPayloadType == offered.opusPayloadType else {
      throw .payloadTypeMoved(offered: offered.opusPayloadType, answered: audio.opusPayloadType)
    }
    guard audio.hasRTCPMux else { throw .noRTCPMux }
    let remote = try RemoteTransport(of: answer, section: index)

    var session = session(
      audio: audio, remote: remote, role: left, dtlsRole: try DTLSSetup.role(answered: remote.setup))
    session.mid = offered.mid
    if audio.redPayloadType != offered.redPayloadType {
      session.redPayloadType = nil
      session.remotePrefersRED = false
    }
    let peerSends = left.peerSends
    session.extensions = NegotiatedSession.ExtensionIDs(reading: answer.media[index].attributes, peerSends: peerSends)
      .common(with: NegotiatedSession.ExtensionIDs(reading: offer.media[index].attributes, peerSends: !peerSends))
    session.nackAgreed = session.nackAgreed && offered.hasNACK
    session.reducedSizeRTCP = session.reducedSizeRTCP && offered.hasReducedSizeRTCP
    return session
  }

  /// True for the same kind of media with the same mid; a missing mid is accepted, as old peers omit it.
  private static func matches(_ answered: MediaDescription, _ offered: MediaDescription) -> Bool {
    guard answered.media == offered.media, answered.mid == nil || answered.mid == offered.mid else { return false }
    // Old peers answer UDP/TLS/RTP/SAVPF with RTP/SAVPF; both mean DTLS-SRTP here.
    return answered.transport == offered.transport || answered.port == 0
      || (transports.contains(answered.transport) && transports.contains(offered.transport))
  }
}
