extension ICECandidate: CustomStringConvertible {
  /// Maximum length of a candidate line in bytes; Chromium's longest are below 200.
  static let maximumLength = 1_024
  /// Maximum number of extension pairs in a candidate line.
  static let maximumExtensions = 32

  /// True for the empty candidate by which trickle ICE signals the end of candidates (RFC 8840 §8.2).
  package static func isEndOfCandidates(_ text: String) -> Bool {
    let value = strip(text)
    return value.isEmpty || value == "end-of-candidates"
  }

  /// The value of the attribute: `text` without surrounding spaces, "a=" and "candidate:".
  package static func strip(_ text: String) -> String {
    var rest = Substring(text)
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    if rest.hasPrefix("a=") { rest = rest.dropFirst(2) }
    if rest.hasPrefix("candidate:") { rest = rest.dropFirst("candidate:".count) }
    return String(rest)
  }

  /// Parses a candidate line; throws the first fault found.
  package init(parsing text: String) throws(ICECandidateError) {
    guard text.utf8.count <= Self.maximumLength else { throw .tooLong(limit: Self.maximumLength) }
    let value = Self.strip(text)
    guard !value.isEmpty else { throw .empty }
    guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notPlainText }
    let fields = value.split(separator: " ")
    guard fields.count >= 8 else { throw .tooFewFields(found: fields.count) }
    guard let component = UInt16(digits: fields[1]), (1...256).contains(component) else { throw .malformedComponent }
    guard let priority = UInt32(digits: fields[3]), priority > 0 else { throw .malformedPriority }
    guard Self.isAddress(fields[4]) else { throw .malformedAddress }
    guard let port = UInt16(digits: fields[5]) else { throw .malformedPort }
    guard fields[6] == "typ", let type = Kind(rawValue: String(fields[7])) else { throw .unknownType }
    self.init(
      foundation: String(fields[0]), component: component, transport: String(fields[2]), priority: priority,
      address: String(fields[4]), port: port, type: type)
    try takeExtensions(fields.dropFirst(8))
  }

  private mutating func takeExtensions(_ words: ArraySlice<Substring>) throws(ICECandidateError) {
    guard words.count.isMultiple(of: 2) else { throw .unpairedExtension }
    guard words.count / 2 <= Self.maximumExtensions else { throw .tooManyExtensions(limit: Self.maximumExtensions) }
    var rest = words
    while let name = rest.popFirst(), let value = rest.popFirst() {
      switch name {
      case "raddr" where relatedAddress == nil:
        guard Self.isAddress(value) else { throw .malformedAddress }
        relatedAddress = String(value)
      case "rport" where relatedPort == nil:
        guard let port = UInt16(digits: value) else { throw .malformedPort }
        relatedPort = port
      case "tcptype" where tcpType == nil:
        guard let kind = TCPType(rawValue: String(value)) else { throw .unknownTCPType }
        tcpType = kind
      default:
        extensions.append(Extension(String(name), String(value)))
      }
    }
  }

  /// Characters of addresses and host names; `IPAddress` interprets them.
  private static func isAddress(_ text: Substring) -> Bool {
    text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"),
          UInt8(ascii: "_"), UInt8(ascii: "%"):
          true
        default: false
        }
      }
  }

  /// The value of the attribute, without "candidate:".
  package var value: String {
    var words = [
      foundation, String(component), transport, String(priority), address, String(port), "typ", type.rawValue,
    ]
    if let relatedAddress { words += ["raddr", relatedAddress] }
    if let relatedPort { words += ["rport", String(relatedPort)] }
    if let tcpType { words += ["tcptype", tcpType.rawValue] }
    for pair in extensions { words += [pair.name, pair.value] }
    return words.joined(separator: " ")
  }

  /// "candidate:…", as browsers and trickle ICE write it.
  package var description: String {
    "candidate:" + value
  }
}

/// The reason why a text is not an ICE candidate, and the correct form; the sentence quotes no address.
package enum ICECandidateError: Error, Sendable, Hashable, CustomStringConvertible {
  case empty
  case tooLong(limit: Int)
  case notPlainText
  case tooFewFields(found: Int)
  case malformedComponent
  case malformedPriority
  case malformedAddress
  case malformedPort
  case unknownType
  case unknownTCPType
  case unpairedExtension
  case tooManyExtensions(limit: Int)

  /// A stable code for clients to switch on.
  package var code: String { "candidate-malformed" }

  /// A sentence that names the correct form.
  package var description: String {
    switch self {
    case .empty: "The candidate is empty, which marks the end of candidates."
    case .tooLong(let limit): "The candidate is too long; at most \(limit) bytes are accepted."
    case .notPlainText: "The candidate contains control characters or characters outside ASCII."
    case .tooFewFields(let found):
      "The candidate has \(found) fields; it should read "
        + "\"candidate:<foundation> <component> <udp|tcp> <priority> <address> <port> typ <type>\"."
    case .malformedComponent: "The candidate's component should be a number from 1 to 256."
    case .malformedPriority: "The candidate's priority should be a number from 1 to 4294967295."
    case .malformedAddress: "The candidate's address should be an IP address or a host name."
    case .malformedPort: "The candidate's port should be a number from 0 to 65535."
    case .unknownType: "The candidate's type should read \"typ\" and host, srflx, prflx or relay."
    case .unknownTCPType: "The candidate's tcptype should be active, passive or so."
    case .unpairedExtension: "The candidate ends with an extension name without a value; they come in pairs."
    case .tooManyExtensions(let limit): "The candidate has too many extensions; at most \(limit) are read."
    }
  }
}
