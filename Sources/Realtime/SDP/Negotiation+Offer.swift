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
