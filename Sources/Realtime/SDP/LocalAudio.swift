/// The contents of our own audio section in an offer or answer.
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
  /// The SSRC of our packets; nil if we do not send or do not announce it.
  var ssrc: UInt32?
  var cname: String

  /// Creates the section, with the transport attributes in the position that browsers use.
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
    // transport-cc is never included: it makes Chromium send padding packets.
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

  /// The CNAME without spaces, which would end it.
  private var canonicalName: String {
    String(String.UnicodeScalarView(cname.unicodeScalars.filter { $0.value > 0x20 && $0.value != 0x7F }))
  }

  /// The MediaStream identifier: the CNAME in the characters of `a=msid`, at most 64 (RFC 8830 §2).
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

  /// Leaves room for the suffix of the track identifier within 64 characters.
  private static let longestStreamID = 58
}
