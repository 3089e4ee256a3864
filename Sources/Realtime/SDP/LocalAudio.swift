/// What our own audio section says, in an offer or in an answer.
struct LocalAudio {
  var mid: String?
  var transport: String
  var direction: NegotiatedSession.Direction
  var opusPayloadType: UInt8
  var redPayloadType: UInt8?
  var extensions: NegotiatedSession.ExtensionIDs
  var reducedSizeRTCP: Bool
  var allowsFeedback: Bool
  var preferences: AudioPreferences
  /// The SSRC that we send with; nil where we do not send or do not say.
  var ssrc: UInt32?
  var cname: String

  /// The section, with the transport's lines where browsers have them.
  func section(transport lines: [SDPAttribute]) -> MediaDescription {
    let opus = String(opusPayloadType)
    let red = redPayloadType.map { String($0) }
    let formats = preferences.offersRED ? [red, opus] : [opus, red]
    var attributes = lines
    if let mid { attributes.append(SDPAttribute("mid", mid)) }
    for entry in extensions.entries {
      attributes.append(SDPAttribute("extmap", "\(entry.id) \(entry.known.rawValue)"))
    }
    attributes.append(SDPAttribute(direction.rawValue))
    if sends { attributes.append(SDPAttribute("msid", "\(streamID) \(trackID)")) }
    attributes.append(SDPAttribute("rtcp-mux"))
    if reducedSizeRTCP { attributes.append(SDPAttribute("rtcp-rsize")) }
    attributes.append(SDPAttribute("rtpmap", "\(opus) opus/48000/2"))
    // Never transport-cc: it makes Chromium send padding packets.
    if allowsFeedback { attributes.append(SDPAttribute("rtcp-fb", "\(opus) nack")) }
    attributes.append(SDPAttribute("fmtp", "\(opus) \(OpusParameters(preferences).text)"))
    if let red {
      attributes.append(SDPAttribute("rtpmap", "\(red) red/48000/2"))
      attributes.append(SDPAttribute("fmtp", "\(red) \(opus)/\(opus)"))
    }
    attributes.append(SDPAttribute("ptime", String(preferences.packetTimeInMilliseconds)))
    if sends, let ssrc {
      attributes.append(SDPAttribute("ssrc", "\(ssrc) cname:\(canonicalName)"))
      attributes.append(SDPAttribute("ssrc", "\(ssrc) msid:\(streamID) \(trackID)"))
    }
    return MediaDescription(
      media: "audio", port: Negotiation.portByICE, transport: transport, formats: formats.compactMap(\.self),
      attributes: attributes)
  }

  private var sends: Bool { direction.allows(peerSends: true) }

  /// The CNAME without blanks, which would end it.
  private var canonicalName: String {
    String(String.UnicodeScalarView(cname.unicodeScalars.filter { $0.value > 0x20 && $0.value != 0x7F }))
  }

  /// The MediaStream's name: the CNAME made fit for `a=msid`, 64 letters of RFC 8830 §2 at most.
  private var streamID: String {
    let letters = cname.utf8.prefix(Self.longestStreamID).map { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        Character(Unicode.Scalar(byte))
      default: Character("-")
      }
    }
    return letters.isEmpty ? "-" : String(letters)
  }

  private var trackID: String {
    streamID + "-audio"
  }

  /// Leaves room for the ending of the track's name in the 64 letters.
  private static let longestStreamID = 58
}
