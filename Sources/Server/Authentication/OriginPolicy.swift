import Glibc
import HTTPTypes
import NIOCore

/// Decides which web pages may talk to an open service.
///
/// A browser sends any page's requests to loopback, and WebSockets have no same-origin rule. Without keys, a foreign
/// page could therefore listen to a room. With keys every request carries its own proof, and any page may send it.
struct OriginPolicy: Sendable {
  enum Mode: Hashable, Sendable {
    /// Keys protect the service.
    case anyPage
    /// Open on loopback: pages of this machine only, under a name of this machine (against DNS rebinding).
    case thisMachine
    /// Open by --insecure: pages served by this service, and pages of this machine.
    case ownPages
  }

  var mode: Mode
  /// The names by which an open service may be called from elsewhere, beside its addresses.
  var names: Set<HostName> = []

  /// Nil if the request may pass, otherwise a sentence with the reason.
  ///
  /// A foreign page can have its own name point to this machine (DNS rebinding): its requests then look like those of
  /// our own pages, except for the name. Addresses cannot be rebound.
  func objection(to origin: String?, authority: String?) -> String? {
    guard mode != .anyPage else { return nil }
    let host = authority.flatMap(HostName.init(authority:))
    if mode == .thisMachine, let host, !host.isLoopback {
      return "this service is open to this machine only, not to the host \"\(host.text.prefix(64))\"; "
        + "call it as localhost, or start it with keys"
    }
    if mode == .ownPages, let host, !host.isLoopback, !host.isAddress, !names.contains(host) {
      return "this service without keys is not known as \"\(host.text.prefix(64))\"; call it by its address, name this "
        + "host in --host-names, or start it with keys"
    }
    guard let origin else { return nil }
    if isOwn(origin, host: host) { return nil }
    return "pages of \(origin.prefix(64)) may not use a service without keys; start it with keys"
  }

  /// What a request without `Origin` says about the page that had it sent, for example as an image's address.
  struct Fetch: Hashable, Sendable {
    /// `Sec-Fetch-Site`, which pages cannot set. Browsers send it over TLS and to loopback only (Fetch Metadata,
    /// section 2).
    var site: String?
    /// `Referer`, which pages may leave out but not invent.
    var referrer: String?
    /// `User-Agent`; that of every browser begins with "Mozilla/".
    var agent: String?
  }

  /// Nil if a GET may pass, otherwise a sentence with the reason.
  ///
  /// - Parameter changes: true if the GET changes something; a foreign page may not have it sent, whatever the address
  ///   proves. Without keys, a browser then has to say where it comes from.
  func objection(to fetch: Fetch, authority: String?, changes: Bool) -> String? {
    guard changes || mode != .anyPage else { return nil }
    switch fetch.site {
    case nil:
      guard changes, mode != .anyPage, fetch.agent?.hasPrefix("Mozilla/") == true else { return nil }
      let host = authority.flatMap(HostName.init(authority:))
      if let referrer = fetch.referrer, isOwn(referrer, host: host) { return nil }
    case "same-origin", "none": return nil
    default: break
    }
    return "only programs and the service's own pages may ask for this, not a page of another origin"
  }

  /// - Parameter origin: an origin, or the address of a page (RFC 9110 section 10.1.3).
  private func isOwn(_ origin: String, host: HostName?) -> Bool {
    // A page opened from a file on this machine; no web server can send that origin.
    if origin == "file://" { return true }
    guard let scheme = origin.firstRange(of: "://"),
      let page = HostName(authority: String(origin[scheme.upperBound...].prefix { !"/?#".contains($0) }))
    else { return false }
    return page.isLoopback || (mode == .ownPages && page == host)
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let origin = HTTPField.Name("Origin") ?? .referer
}

/// The host of a listening address, a `Host` header or an `Origin`.
struct HostName: Hashable, Sendable {
  let text: String

  /// Without a port and without the brackets of IPv6, in lower case.
  init(_ text: String) {
    self.text = text.lowercased()
  }

  /// Reads `host[:port]` as in `Host` (RFC 9110 section 7.2); nil if it is empty.
  init?(authority: String) {
    var host = Substring(authority)
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.firstIndex(of: ":") {
      host = host[..<colon]
    }
    guard !host.isEmpty else { return nil }
    self.init(String(host))
  }

  /// True for an IP address.
  var isAddress: Bool { (try? SocketAddress(ipAddress: text, port: 0)) != nil }

  /// The names that this machine has for itself: its host name, whole, its first label, and that with `.local` (mDNS).
  static var ofThisMachine: Set<HostName> {
    var bytes = [CChar](repeating: 0, count: 256)
    let failed = gethostname(&bytes, bytes.count - 1)
    let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).lowercased()
    guard failed == 0, let label = name.split(separator: ".").first else { return [] }
    return [HostName(name), HostName(String(label)), HostName("\(label).local")]
  }

  /// True for names of this machine only: `localhost` and its subdomains (RFC 6761), 127.0.0.0/8, ::1.
  var isLoopback: Bool {
    if text == "localhost" || text.hasSuffix(".localhost") { return true }
    guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return false }
    switch address {
    case .v4: return text.hasPrefix("127.")
    case .v6:
      // "::1" in any spelling, and 127.0.0.0/8 mapped into IPv6.
      return address.ipAddress == "::1" || (address.ipAddress?.hasPrefix("::ffff:127.") ?? false)
    default: return false
    }
  }
}
