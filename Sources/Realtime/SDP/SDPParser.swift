/// Parses a session description in one pass, in linear time and with memory bounded by `SDPLimits`.
///
/// It tolerates harmless deviations of real browsers and servers (bare LF, blank lines, a missing `t=`), but is
/// strict where a guess could change the meaning (a wrong number, a torn line). Source: RFC 8866 §5 and §9.
package struct SDPParser {
  private let limits: SDPLimits
  private var line = 0
  private var candidates = 0
  private var hasVersion = false
  private var origin: SDPOrigin?
  private var name: String?
  private var sessionLines: [SDPLine] = []
  private var sessionAttributes: [SDPAttribute] = []
  private var media: [MediaDescription] = []

  private init(limits: SDPLimits) {
    self.limits = limits
  }

  /// Parses a description from text.
  package static func parse(_ text: String, limits: SDPLimits = SDPLimits()) throws(SDPError) -> SessionDescription {
    // The size is checked before the bytes are copied.
    guard text.utf8.count <= limits.bytes else {
      throw SDPError(line: 0, reason: .tooManyBytes(limit: limits.bytes))
    }
    let bytes = Array(text.utf8)
    return try parse(bytes.span, limits: limits)
  }

  /// Parses a description from bytes, which need not be valid UTF-8.
  package static func parse(
    _ bytes: Span<UInt8>, limits: SDPLimits = SDPLimits()
  ) throws(SDPError) -> SessionDescription {
    guard bytes.count <= limits.bytes else {
      throw SDPError(line: 0, reason: .tooManyBytes(limit: limits.bytes))
    }
    var parser = SDPParser(limits: limits)
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      let next = end + 1
      if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      parser.line += 1
      if end > start { try parser.take(bytes.extracting(start..<end)) }
      start = next
    }
    return try parser.finish()
  }

  private mutating func take(_ bytes: Span<UInt8>) throws(SDPError) {
    for index in bytes.indices where bytes[index] < 0x20 && bytes[index] != 0x09 || bytes[index] == 0x7F {
      throw failure(.controlCharacter)
    }
    guard bytes.count >= 2, bytes[1] == UInt8(ascii: "="),
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0])
    else { throw failure(.notALine) }
    guard let valid = try? UTF8Span(validating: bytes.extracting(2..<bytes.count)) else { throw failure(.notUTF8) }
    try take(type: Character(Unicode.Scalar(bytes[0])), value: String(copying: valid))
  }

  private mutating func take(type: Character, value: String) throws(SDPError) {
    if !hasVersion {
      guard type == "v" else { throw failure(.expected(type: "v")) }
      guard value == "0" else { throw failure(.unsupportedVersion) }
      hasVersion = true
    } else if origin == nil {
      guard type == "o" else { throw failure(.expected(type: "o")) }
      guard let parsed = SDPOrigin(parsing: value) else { throw failure(.malformedOrigin) }
      origin = parsed
    } else if name == nil {
      guard type == "s" else { throw failure(.expected(type: "s")) }
      name = value
    } else {
      switch type {
      case "v", "o", "s": throw failure(.repeated(type: type))
      case "m": try takeMedia(value)
      case "a": try takeAttribute(value)
      default: try takeOther(SDPLine(type, value))
      }
    }
  }

  private mutating func takeMedia(_ value: String) throws(SDPError) {
    guard media.count < limits.mediaSections else {
      throw failure(.tooManyMediaSections(limit: limits.mediaSections))
    }
    let fields = value.split(separator: " ")
    guard fields.count >= 4 else { throw failure(.malformedMedia) }
    guard fields.count - 3 <= limits.formats else { throw failure(.tooManyFormats(limit: limits.formats)) }
    let ports = fields[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = ports.first, let port = UInt16(digits: first) else { throw failure(.malformedPort) }
    var portCount: UInt16?
    if ports.count == 2 {
      guard let count = UInt16(digits: ports[1]) else { throw failure(.malformedPort) }
      portCount = count
    }
    media.append(
      MediaDescription(
        media: String(fields[0]), port: port, portCount: portCount, transport: String(fields[2]),
        formats: fields.dropFirst(3).map(String.init), lines: []))
  }

  private mutating func takeAttribute(_ value: String) throws(SDPError) {
    let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { throw failure(.malformedAttribute) }
    if name == "candidate" {
      candidates += 1
      guard candidates <= limits.candidates else { throw failure(.tooManyCandidates(limit: limits.candidates)) }
    }
    let attribute = SDPAttribute(String(name), parts.count == 2 ? String(parts[1]) : nil)
    let count = media.last?.attributes.count ?? sessionAttributes.count
    guard count < limits.attributes else { throw failure(.tooManyAttributes(limit: limits.attributes)) }
    if media.isEmpty {
      sessionAttributes.append(attribute)
    } else {
      media[media.count - 1].attributes.append(attribute)
    }
  }

  private mutating func takeOther(_ other: SDPLine) throws(SDPError) {
    let count = media.last?.lines.count ?? sessionLines.count
    guard count < limits.otherLines else { throw failure(.tooManyLines(limit: limits.otherLines)) }
    if media.isEmpty {
      sessionLines.append(other)
    } else {
      media[media.count - 1].lines.append(other)
    }
  }

  private func finish() throws(SDPError) -> SessionDescription {
    guard hasVersion else { throw SDPError(line: line, reason: .empty) }
    guard let origin else { throw SDPError(line: line, reason: .expected(type: "o")) }
    guard let name else { throw SDPError(line: line, reason: .expected(type: "s")) }
    return SessionDescription(
      origin: origin, name: name, lines: sessionLines, attributes: sessionAttributes, media: media)
  }

  private func failure(_ reason: SDPError.Reason) -> SDPError {
    SDPError(line: line, reason: reason)
  }
}

/// Size limits of a session description, checked before parsing (promise 8: the SDP bomb).
///
/// Exceeding a limit refuses the description rather than truncating it, because a part has another meaning than the
/// whole.
package struct SDPLimits: Sendable, Hashable {
  /// Bytes of the whole description. A Chromium offer with audio, video and data has 7 KiB.
  package var bytes: Int
  /// Sections that begin with `m=`.
  package var mediaSections: Int
  /// `a=candidate` lines in all sections together.
  package var candidates: Int
  /// `a=` lines in one section (or in the session part). Chromium's video section has about 120.
  package var attributes: Int
  /// Formats (payload types) in one `m=` line; RTP has no more than 128 payload types.
  package var formats: Int
  /// Lines before the attributes of one section (`c=`, `b=`, `t=`, …).
  package var otherLines: Int

  package init(
    bytes: Int = 65_536, mediaSections: Int = 8, candidates: Int = 64, attributes: Int = 256, formats: Int = 128,
    otherLines: Int = 32
  ) {
    self.bytes = bytes
    self.mediaSections = mediaSections
    self.candidates = candidates
    self.attributes = attributes
    self.formats = formats
    self.otherLines = otherLines
  }
}

/// A line other than `v=`, `o=`, `s=`, `m=` and `a=`, kept unchanged: `c=`, `t=`, `b=` and rarer ones.
package struct SDPLine: Sendable, Hashable {
  /// The lower-case letter before the equals sign.
  package var type: Character
  package var value: String

  package init(_ type: Character, _ value: String) {
    self.type = type
    self.value = value
  }

  /// The connection line of every section whose address ICE determines (RFC 8840 §4.1.1).
  package static let connectionByICE = SDPLine("c", "IN IP4 0.0.0.0")
}

extension FixedWidthInteger {
  /// Parses plain decimal digits; nil for a sign, a space or overflow.
  ///
  /// `Int(_:)` also accepts "+5" and "-0", which the grammars of RFC 8866 and RFC 8839 do not.
  init?(digits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    self.init(text, radix: 10)
  }
}
