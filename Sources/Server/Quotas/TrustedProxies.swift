import NIOCore
import Realtime

/// The reverse proxies that are believed about their clients' addresses.
///
/// Anybody can send `X-Forwarded-For`, and a proxy appends to what it got. So the list is read from the right, and only
/// as long as the address that wrote an entry is a trusted one.
package struct TrustedProxies: Hashable, Sendable {
  /// Most hops that are looked at; a longer list is forged.
  private static let mostHops = 16

  private let networks: [IPNetwork]

  package static let none = TrustedProxies(networks: [])

  private init(networks: [IPNetwork]) {
    self.networks = networks
  }

  /// Networks and addresses, separated by commas; nil if one is neither, or if a network is the whole internet.
  package init?(parsing text: String) {
    var networks: [IPNetwork] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.trimmingBlanks
      // A length of 0: everybody would be what they claim to be.
      let length = part.split(separator: "/").dropFirst().first.flatMap { Int($0) }
      guard let network = IPNetwork(parsing: part), length != 0 else { return nil }
      networks.append(network)
    }
    self.init(networks: networks)
  }

  package var isEmpty: Bool { networks.isEmpty }

  /// True for the address of a trusted proxy.
  func contains(_ text: String?) -> Bool {
    guard !isEmpty, let address = text.flatMap(TrustedProxies.address) else { return false }
    return networks.contains { $0.contains(address) }
  }

  func contains(_ channel: any Channel) -> Bool { !isEmpty && contains(channel.remoteAddress?.ipAddress) }

  /// The address of the client behind `peer`: the last one that no trusted proxy has. What cannot be read ends the
  /// search, so its proxy counts as the client.
  ///
  /// - Parameters:
  ///   - forwardedFor: the values of `X-Forwarded-For`, in order.
  ///   - forwarded: the values of `Forwarded` (RFC 7239), which count only if there is no other.
  func client(of peer: String?, forwardedFor: [String], forwarded: [String]) -> String? {
    guard contains(peer) else { return peer }
    let hops =
      forwardedFor.isEmpty ? TrustedProxies.nodes(of: forwarded) : TrustedProxies.parts(of: forwardedFor, at: ",")
    var client = peer
    for hop in hops.suffix(TrustedProxies.mostHops).reversed() {
      guard let address = TrustedProxies.host(of: hop) else { break }
      client = address
      guard contains(address) else { break }
    }
    return client
  }

  /// The `for` of each element; empty text where there is none.
  private static func nodes(of forwarded: [String]) -> [Substring] {
    parts(of: forwarded, at: ",").map { element in
      for pair in parts(of: [String(element)], at: ";") {
        let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].trimmingBlanks.lowercased() == "for" else { continue }
        let value = halves[1].trimmingBlanks
        // No address has an escaped character (RFC 7239 section 6).
        return value.count >= 2 && value.first == "\"" && value.last == "\"" ? value.dropFirst().dropLast() : value
      }
      return ""
    }
  }

  /// The parts of the joined values; separators within quotes separate nothing.
  private static func parts(of values: [String], at separator: Character) -> [Substring] {
    values.flatMap { value in
      var isQuoted = false
      return value.split(omittingEmptySubsequences: false) { character in
        if character == "\"" { isQuoted.toggle() }
        return character == separator && !isQuoted
      }.map(\.trimmingBlanks)
    }
  }

  /// The address of a hop, which may have a port (`192.0.2.7:4711`, `[2001:db8::1]:4711`); nil for names and nonsense.
  private static func host(of hop: Substring) -> String? {
    var host = hop
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      host = host[host.index(after: host.startIndex)..<end]
    } else if host.count(where: { $0 == ":" }) == 1 {
      host = host.prefix { $0 != ":" }
    }
    let text = String(host)
    return !text.contains("%") && address(text) != nil ? text : nil
  }

  /// IPv4 that is written as IPv6 is IPv4.
  private static func address(_ text: String) -> IPAddress? {
    guard case .v6(let groups) = IPAddress(parsing: text) else { return IPAddress(parsing: text) }
    guard groups.count == 8, groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF else { return .v6(groups) }
    return .v4(UInt32(groups[6]) << 16 | UInt32(groups[7]))
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without blanks and tabs around (RFC 9110 section 5.6.3).
  fileprivate var trimmingBlanks: Substring {
    let start = self.drop { $0 == " " || $0 == "\t" }
    guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return start.prefix(0) }
    return start[...end]
  }
}
