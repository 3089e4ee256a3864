/// What one side says of Opus in its `a=fmtp` line (RFC 7587 §6.1): wishes for what it receives, and what it sends.
package struct OpusParameters: Sendable, Hashable {
  /// The shortest packet that it wishes to receive, in milliseconds.
  package var minimumPacketTime: Int?
  /// The mean rate that it wishes to receive, in bits per second; nil leaves it to the sender.
  package var maximumAverageBitrate: Int?
  /// It prefers to receive stereo (`stereo=1`).
  package var prefersStereo: Bool
  /// It will probably send stereo (`sprop-stereo=1`).
  package var sendsStereo: Bool
  /// It can use forward error correction inside the packets.
  package var usesInbandFEC: Bool
  /// It wishes silence to be left out.
  package var prefersDTX: Bool
  /// It wishes a constant rate.
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

  /// What we say, made of our preferences.
  init(_ preferences: AudioPreferences) {
    self.init(
      minimumPacketTime: min(Self.usualMinimumPacketTime, preferences.packetTimeInMilliseconds),
      maximumAverageBitrate: preferences.maxAverageBitrate, prefersStereo: preferences.stereo,
      sendsStereo: preferences.stereo, usesInbandFEC: preferences.inbandFEC, prefersDTX: preferences.dtx,
      prefersConstantBitrate: preferences.cbr)
  }

  /// Reads the parameters of an `a=fmtp` line; what is missing or makes no sense has the default of RFC 7587.
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

  /// The parameters as the line writes them.
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

  /// What browsers say too, in milliseconds; a smaller one is said only where the packets are shorter.
  private static let usualMinimumPacketTime = 10
}

/// The parameters of an `a=fmtp` line (RFC 8866 §6.15) as `name=value` pairs in order.
struct FormatParameters: Sendable {
  private(set) var pairs: [(name: String, value: String)] = []

  init() {}

  /// Reads "minptime=10;useinbandfec=1"; blanks around pairs do not count, a word without "=" has an empty value.
  init(parsing text: String) {
    for part in text.split(separator: ";") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first.map({ Self.trim($0) }), !name.isEmpty else { continue }
      pairs.append((name.lowercased(), words.count == 2 ? Self.trim(words[1]) : ""))
    }
  }

  /// The first value of that name, which is written in small letters.
  subscript(name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }

  /// The value as a number, where it is one.
  func number(_ name: String) -> Int? {
    self[name].flatMap { Int(digits: $0) }
  }

  /// True where the value is "1".
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
