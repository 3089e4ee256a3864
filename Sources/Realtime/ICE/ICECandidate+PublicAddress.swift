extension ICECandidate {
  /// RFC 8445 section 5.1.2.2: below the hosts' own addresses, so that musicians in the same network stay in it.
  private static let reflexivePreference: UInt32 = 100 << 24

  /// The candidate by which peers outside reach this one, if a network address translator leads all packets to `address`
  /// here, each port to the same port.
  /// - Parameter address: IPv4, as text.
  /// - Returns: nil if this is no host candidate of UDP and IPv4, or has that address already; nobody outside reaches
  ///   loopback and link-local addresses.
  package func reached(at address: String) -> ICECandidate? {
    guard type == .host, isUDP, case .v4(let outer) = IPAddress(parsing: address),
      let own = IPAddress(parsing: self.address), case .v4(let inner) = own, inner != outer,
      own.scope != .loopback, own.scope != .linkLocal
    else { return nil }
    return ICECandidate(
      // One of its own for each base (RFC 8445 section 5.1.1.3); those of libnice are numbers.
      foundation: "p" + foundation, component: component, transport: transport,
      priority: ICECandidate.reflexivePreference | (priority & 0x00FF_FFFF), address: address, port: port,
      type: .serverReflexive, relatedAddress: self.address, relatedPort: port)
  }
}
