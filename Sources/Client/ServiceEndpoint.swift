import Music

/// The address of a Jamjar service.
package struct ServiceEndpoint: Hashable, Sendable {
  /// A name or an address, IPv6 without brackets.
  package var host: String
  package var port: Int
  /// True for https and wss.
  package var isSecure: Bool
  /// Path of a PEM file with the certificates to trust beside the system's; for services that sign their own.
  package var trust: String?
  /// True to trust any certificate, even that of somebody who listens in between.
  package var isUnverified = false
  /// The address to connect to, where the host has been looked up and checked before; nil looks it up.
  package var address: String?

  package init(host: String, port: Int, isSecure: Bool = false, trust: String? = nil, address: String? = nil) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
    self.trust = trust
    self.address = address
  }

  /// `host:port` as it stands in a URL and in `Host`.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// `http://host:port` and `path`.
  func url(_ path: String) -> String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
