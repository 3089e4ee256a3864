/// A client's `connect` command.
package struct RTMPConnectRequest: Hashable, Sendable {
  /// Members of `connect` sent only by clients with Enhanced RTMP.
  private static let enhancedKeys = ["fourCcList", "videoFourCcInfoMap", "audioFourCcInfoMap", "capsEx"]

  /// The path in `app`.
  package let scope: RTMPScope
  /// The query of `app`, or else of `tcUrl`; the iOS library sends none.
  package let query: RTMPQuery?
  /// The values after the command object: arguments of the application's connect hook.
  package let parameters: [AMFValue]
  package let tcURL: String?
  /// The client's own name.
  package let flashVersion: String?
  /// 0 for AMF0, 3 for AMF3.
  package let objectEncoding: Int
  /// The codecs that the client offers or requests with Enhanced RTMP.
  package let codecs: [String]
  /// Capabilities in Enhanced RTMP: bit 1 reconnection, 2 multitrack, 4 modifiers, 8 nanosecond offsets.
  package let abilities: Int
  /// True if it sent any key of Enhanced RTMP.
  package let isEnhanced: Bool
  /// All members of the command object.
  package let members: [AMFMember]

  /// True if the client wants the room's events: `jamjarEvents` in the command object, in an object after it, or in the
  /// query.
  package var wantsEvents: Bool {
    let objects = [members] + parameters.compactMap(\.members)
    let isMember = objects.contains { $0.contains { $0.name == "jamjarEvents" && $0.value == .boolean(true) } }
    return isMember || ["", "1", "true"].contains(query?["jamjarEvents"])
  }

  /// Nil if `app` is not a valid scope.
  init?(_ command: RTMPCommand) {
    let app = command.object["app"]?.string
    guard let scope = RTMPScope(app: app) else { return nil }
    self.scope = scope
    tcURL = command.object["tcUrl"]?.string
    query = RTMPQuery(of: app) ?? RTMPQuery(of: tcURL)
    parameters = command.arguments
    flashVersion = command.object["flashVer"]?.string
    objectEncoding = command.object["objectEncoding"]?.number == 3 ? 3 : 0
    members = command.object.members ?? []
    isEnhanced = members.contains { RTMPConnectRequest.enhancedKeys.contains($0.name) }
    abilities = command.object["capsEx"]?.number.flatMap { Int(exactly: $0) } ?? 0
    let listed = command.object["fourCcList"]?.elements?.compactMap(\.string) ?? []
    let mapped = (command.object["audioFourCcInfoMap"]?.members ?? []).map(\.name)
    codecs = listed + mapped.filter { !listed.contains($0) }
  }
}

/// The keys and values after the "?" of an address or a stream name.
package struct RTMPQuery: Hashable, Sendable {
  /// The raw text, without the "?".
  package let text: String

  /// Parses the query of `text`; nil if it has no "?".
  package init?(of text: String?) {
    guard let text, let mark = text.firstIndex(of: "?") else { return nil }
    self.text = String(text[text.index(after: mark)...])
  }

  /// The first value of this key, decoded; a key without "=" has an empty value.
  package subscript(key: String) -> String? {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, RTMPQuery.decoded(first) == key else { continue }
      return parts.count > 1 ? RTMPQuery.decoded(parts[1]) : ""
    }
    return nil
  }

  /// Decodes percent signs with two hexadecimal digits but leaves "+" unchanged, because keys may be base64.
  private static func decoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// The target of a client's connection: the parts of `app`, empty for the root.
package struct RTMPScope: Hashable, Sendable, CustomStringConvertible {
  private static let maximumParts = 4
  private static let maximumPartLength = 64

  package let parts: [String]

  /// Nil if `app`, without its query, has more than four parts or an invalid one. A part consists of 1 to 64 letters,
  /// digits, ".", "_" and "-", without "..".
  package init?(app: String?) {
    let path = (app ?? "").prefix { $0 != "?" }
    let trimmed = path.drop { $0 == "/" }
    guard let last = trimmed.lastIndex(where: { $0 != "/" }) else {
      parts = []
      return
    }
    let parts = trimmed[...last].split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count <= RTMPScope.maximumParts, parts.allSatisfy({ RTMPScope.isGood($0) }) else { return nil }
    self.parts = parts
  }

  private static func isGood(_ part: String) -> Bool {
    guard (1...maximumPartLength).contains(part.utf8.count), !part.contains("..") else { return false }
    return part.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
  }

  /// The parts joined by "/".
  package var description: String { parts.joined(separator: "/") }
}
