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
