extension Negotiation {
  /// Answers an offer: accepts the first Opus section with a suitable direction and refuses all others.
  ///
  /// `dtlsRole` is the role of a running DTLS association, kept when an offer restarts ICE over it. `version`
  /// increases with every answer of a session. Throws the fault of the offer and the correction.
  package static func answer(
    to offer: SessionDescription, role: Role, transport: LocalTransport,
    preferences: AudioPreferences = AudioPreferences(), ssrc: UInt32? = nil, cname: String, sessionID: UInt64,
    version: UInt64 = 1, dtlsRole: NegotiatedSession.DTLSRole? = nil
  ) throws(NegotiationError) -> (answer: SessionDescription, session: NegotiatedSession) {
    let mids = offer.media.compactMap(\.mid)
    guard Set(mids).count == mids.count else { throw .repeatedMid }
    let audio = try audioSection(of: offer, role: role)
    let remote = try RemoteTransport(of: offer, section: audio.index)
    let ownRole = try DTLSSetup.role(answering: remote.setup, keeping: dtlsRole)
    let peerSends = role.peerSends
    let extensions = NegotiatedSession.ExtensionIDs(
      reading: offer.media[audio.index].attributes, peerSends: peerSends)

    let local = LocalAudio(
      mid: audio.hasMid ? audio.mid : nil, transport: audio.transport, direction: role.ownDirection,
      opusPayloadType: audio.opusPayloadType, redPayloadType: audio.redPayloadType, extensions: extensions,
      reducedSizeRTCP: audio.hasReducedSizeRTCP, allowsFeedback: audio.allowsFeedback, preferences: preferences,
      ssrc: ssrc, cname: cname)
    var answer = SessionDescription(
      origin: SDPOrigin(sessionID: String(sessionID), sessionVersion: String(version)))
    if audio.hasMid, offer.bundle(of: audio.mid) != nil {
      answer.attributes.append(SDPAttribute("group", "BUNDLE " + audio.mid))
    }
    answer.media = offer.media.enumerated().map { index, section in
      index == audio.index
        ? local.section(transport: transport.attributes(setup: DTLSSetup(ownRole)))
        : refusal(of: section)
    }
    var session = session(audio: audio, remote: remote, role: role, dtlsRole: ownRole)
    session.extensions = extensions
    return (answer, session)
  }

  /// Finds the section to accept; throws the reason if there is none.
  private static func audioSection(
    of offer: SessionDescription, role: Role
  ) throws(NegotiationError) -> AudioSection {
    let enabled = offer.media.indices.filter { offer.media[$0].media == "audio" && offer.media[$0].isEnabled }
    guard !enabled.isEmpty else { throw .noAudio }
    let secure = enabled.filter { transports.contains(offer.media[$0].transport) }
    guard !secure.isEmpty else { throw .noDTLS }
    let sections = secure.compactMap { AudioSection(of: offer, at: $0) }
    guard let first = sections.first else { throw .noOpus }
    guard let audio = sections.first(where: { role.fits($0.direction) }) else {
      throw .directionMismatch(role: role, found: first.direction)
    }
    guard audio.hasRTCPMux else { throw .noRTCPMux }
    return audio
  }

  /// A section is refused by port 0 with the offer's own values (RFC 3264 §6).
  private static func refusal(of section: MediaDescription) -> MediaDescription {
    var attributes: [SDPAttribute] = []
    if let mid = section.mid { attributes.append(SDPAttribute("mid", mid)) }
    attributes.append(SDPAttribute("inactive"))
    return MediaDescription(
      media: section.media, port: 0, transport: section.transport, formats: Array(section.formats.prefix(1)),
      attributes: attributes)
  }

  /// The session described by the peer's section and transport.
  static func session(
    audio: AudioSection, remote: RemoteTransport, role: Role, dtlsRole: NegotiatedSession.DTLSRole
  ) -> NegotiatedSession {
    NegotiatedSession(
      remoteCredentials: remote.credentials, remoteIsLite: remote.isLite, remoteFingerprints: remote.fingerprints,
      dtlsRole: dtlsRole, remoteCandidates: remote.candidates, remoteCandidatesComplete: remote.candidatesAreComplete,
      mid: audio.mid, direction: role.ownDirection, opusPayloadType: audio.opusPayloadType,
      redPayloadType: audio.redPayloadType, nackAgreed: audio.hasNACK && audio.allowsFeedback,
      reducedSizeRTCP: audio.hasReducedSizeRTCP, remoteSendsStereo: audio.opus.sendsStereo, remoteSSRC: audio.ssrc,
      mediaIndex: audio.index, remoteTrickles: remote.trickles, remoteOpus: audio.opus,
      remotePacketTime: audio.packetTime, remotePrefersRED: audio.redPayloadType != nil && audio.prefersRED)
  }
}
