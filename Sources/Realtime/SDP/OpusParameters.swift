/// The Opus parameters in an `a=fmtp` line (RFC 7587 §6.1): preferences for receiving, and properties of what is
/// sent.
package struct OpusParameters: Sendable, Hashable {
  /// Shortest packet accepted, in milliseconds.
  package var minimumPacketTime: Int?
  /// Maximum mean bitrate accepted, in bits per second; nil leaves it to the sender.
  package var maximumAverageBitrate: Int?
  /// True if stereo is preferred (`stereo=1`).
  package var prefersStereo: Bool
  /// True if stereo will probably be sent (`sprop-stereo=1`).
  package var sendsStereo: Bool
  /// True if in-band FEC is supported.
  package var usesInbandFEC: Bool
  /// True if DTX is preferred.
  package var prefersDTX: Bool
  /// True if a constant bitrate is preferred.
  package var prefersConstantBitrate: Bool

  package init(
    minimumPacketTime: Int? = nil, maximumAverageBitrate: Int? = nil, prefersStereo: Bool = false,
    sendsStereo: Bool = false, usesInbandFEC: Bool = false, prefersDTX: Bool = false,
    prefersConstantBitrate: Bool = false
  ) {
    self.minimumPacketTime = minimumPacketTime
    self.maximumAverageBitrate = maximumAverageBitrate
    self.prefersStereo = prefersStereo
    self.sendsStereo = sendsStereo
    self.usesInbandFEC = usesInbandFEC
    self.prefersDTX = prefersDTX
    self.prefersConstantBitrate = prefersConstantBitrate
  }

  /// Our parameters for the given preferences.
  init(_ preferences: AudioPreferences) {
    self.init(
      minimumPacketTime: min(Self.usualMinimumPacketTime, preferences.packetTimeInMilliseconds),
      maximumAverageBitrate: preferences.maxAverageBitrate, prefersStereo: preferences.stereo,
      sendsStereo: preferences.stereo, usesInbandFEC: preferences.inbandFEC, prefersDTX: preferences.dtx,
      prefersConstantBitrate: preferences.cbr)
  }

  /// Parses the parameters of an `a=fmtp` line; missing or invalid ones get the defaults of RFC 7587.
  init(parsing text: String) {
    let parameters = FormatParameters(parsing: text)
    self.init(
      minimumPacketTime: parameters.number("minptime"),
      maximumAverageBitrate: parameters.number("maxaveragebitrate").flatMap {
        AudioPreferences.bitrates.contains($0) ? $0 : nil
      },
      prefersStereo: parameters.flag("stereo"), sendsStereo: parameters.flag("sprop-stereo"),
      usesInbandFEC: parameters.flag("useinbandfec"), prefersDTX: parameters.flag("usedtx"),
      prefersConstantBitrate: parameters.flag("cbr"))
  }

  /// The parameters in the form of the line.
  var text: String {
    var parameters = FormatParameters()
    if let minimumPacketTime { parameters.append("minptime", String(minimumPacketTime)) }
    parameters.append("useinbandfec", usesInbandFEC)
    parameters.append("stereo", prefersStereo)
    parameters.append("sprop-stereo", sendsStereo)
    if let maximumAverageBitrate { parameters.append("maxaveragebitrate", String(maximumAverageBitrate)) }
    parameters.append("cbr", prefersConstantBitrate)
    parameters.append("usedtx", prefersDTX)
    return parameters.text
  }

  /// The usual value of browsers, in milliseconds; a smaller one is written only for shorter packets.
  private static let usualMinimumPacketTime = 10
}

/// The parameters of an `a=fmtp` line (RFC 8866 §6.15) as `name=value` pairs in order.
struct FormatParameters: Sendable {
  private(set) var pairs: [(name: String, value: String)] = []

  init() {}

  /// Parses "minptime=10;useinbandfec=1"; spaces around pairs are ignored, and a word without "=" has an empty value.
  init(parsing text: String) {
    for part in text.split(separator: ";") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first.map({ Self.trim($0) }), !name.isEmpty else { continue }
      pairs.append((name.lowercased(), words.count == 2 ? Self.trim(words[1]) : ""))
    }
  }

  /// The first value of that name; `name` must be in lower case.
  subscript(name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }

  /// The value as a number, if it is one.
  func number(_ name: String) -> Int? {
    self[name].flatMap { Int(digits: $0) }
  }

  /// True if the value is "1".
  func flag(_ name: String) -> Bool {
    self[name] == "1"
  }

  mutating func append(_ name: String, _ value: String) {
    pairs.append((name, value))
  }

  mutating func append(_ name: String, _ flag: Bool) {
    append(name, flag ? "1" : "0")
  }

  /// "minptime=10;useinbandfec=1".
  var text: String {
    pairs.map { $0.value.isEmpty ? $0.name : $0.name + "=" + $0.value }.joined(separator: ";")
  }

  private static func trim(_ text: Substring) -> String {
    var rest = text
    while rest.first == " " || rest.first == "\t" { rest = rest.dropFirst() }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}
