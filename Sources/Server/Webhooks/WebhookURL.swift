import Realtime

/// The address of a webhook, read strictly: ambiguous addresses are refused.
///
/// The checked host must be the host connected to, so the address may have no user, escapes, zone or fragment.
package struct WebhookURL: Hashable, Sendable {
  /// Longest address, in bytes.
  private static let maximumLength = 2_048

  package let text: String
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  package let port: Int
  package let isSecure: Bool

  /// Nil if the text is not a plain http or https address.
  package init?(_ text: String) {
    guard text.utf8.count <= WebhookURL.maximumLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    let secure = text.hasPrefix("https://")
    guard secure || text.hasPrefix("http://") else { return nil }
    let rest = text.dropFirst(secure ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let target = rest.dropFirst(authority.count)
    guard target.utf8.allSatisfy({ WebhookURL.isTarget($0) }) else { return nil }
    var name = authority.lowercased()[...]
    var digits: Substring?
    var isAddress = false
    if name.first == "[" {
      guard let end = name.firstIndex(of: "]") else { return nil }
      let after = name[name.index(after: end)...]
      guard after.isEmpty || after.first == ":" else { return nil }
      digits = after.isEmpty ? nil : after.dropFirst()
      name = name[name.index(after: name.startIndex)..<end]
      guard case .v6 = IPAddress(parsing: String(name)), !name.contains("%") else { return nil }
      isAddress = true
    } else if let colon = name.firstIndex(of: ":") {
      digits = name[name.index(after: colon)...]
      name = name[..<colon]
    }
    guard isAddress || WebhookURL.isName(name) else { return nil }
    if let digits {
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65_535).contains(port)
      else { return nil }
      self.port = port
    } else {
      port = secure ? 443 : 80
    }
    host = String(name)
    isSecure = secure
    let shown = isAddress ? "[\(host)]" : host
    let path = target.isEmpty ? "/" : target.first == "?" ? "/\(target)" : String(target)
    self.text = "\(secure ? "https" : "http")://\(shown):\(port)\(path)"
  }

  /// What stands behind the question mark; nil if there is nothing.
  var query: String? {
    guard let mark = text.firstIndex(of: "?") else { return nil }
    let query = text[text.index(after: mark)...]
    return query.isEmpty ? nil : String(query)
  }

  /// The IP address, if the host is one.
  package var address: IPAddress? { IPAddress(parsing: host) }

  /// Host and port.
  var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Scheme and host, without path and query, which may be secrets.
  package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// Path and query.
  var target: String { String(text.dropFirst(origin.count)) }

  /// True for letters, digits, dashes and dots without empty labels.
  private static func isName(_ name: Substring) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy {
          (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }
  }

  /// The characters of path and query (RFC 3986), which excludes a fragment.
  private static func isTarget(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
      UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: true
    }
  }
}

/// Decides which addresses a webhook may use without an option: those reachable for everybody on the internet.
///
/// An endpoint must not give access to addresses that only this machine can reach: its own ports, its local network,
/// the metadata service of its cloud (promise 5).
enum WebhookAddress {
  /// IPv4 addresses embedded in IPv6 are refused: no receiver needs one.
  static func isPublic(_ address: IPAddress) -> Bool {
    address.scope == .global && address.unwrapped == address
  }
}
