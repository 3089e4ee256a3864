/// An ICE candidate in text form (RFC 8839 §5.1): an address at which a peer may be reachable.
///
/// Candidates come inside descriptions (`a=candidate:…`) and one by one by trickle (`candidate:…`). Both forms and
/// the bare value are accepted. All parts of the line are kept, so that a relayed candidate is complete.
package struct ICECandidate: Sendable, Hashable {
  /// The candidate type: how the address was found.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relayed = "relay"
  }

  /// The side that opens a TCP candidate's connection (RFC 6544 §4.5).
  package enum TCPType: String, Sendable, Hashable {
    case active
    case passive
    case simultaneousOpen = "so"
  }

  /// A pair at the end of the line, such as `generation 0` or `ufrag Ab3x`.
  package struct Extension: Sendable, Hashable {
    package var name: String
    package var value: String
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Groups candidates with the same base; 1 to 32 ICE characters, though implementations are not strict about it.
  package var foundation: String
  /// 1 for RTP (and multiplexed RTCP), 2 for separate RTCP.
  package var component: UInt16
  /// The transport as written: "udp" or "tcp" in either case.
  package var transport: String
  package var priority: UInt32
  /// An IPv4 or IPv6 address, or a name (mDNS).
  package var address: String
  package var port: UInt16
  package var type: Kind
  /// The base of a reflexive or relayed candidate (`raddr`).
  package var relatedAddress: String?
  /// The port of the base (`rport`).
  package var relatedPort: UInt16?
  package var tcpType: TCPType?
  /// Further pairs without a field in this type, in order.
  package var extensions: [Extension]

  package init(
    foundation: String, component: UInt16 = 1, transport: String = "udp", priority: UInt32, address: String,
    port: UInt16, type: Kind, relatedAddress: String? = nil, relatedPort: UInt16? = nil, tcpType: TCPType? = nil,
    extensions: [Extension] = []
  ) {
    self.foundation = foundation
    self.component = component
    self.transport = transport
    self.priority = priority
    self.address = address
    self.port = port
    self.type = type
    self.relatedAddress = relatedAddress
    self.relatedPort = relatedPort
    self.tcpType = tcpType
    self.extensions = extensions
  }

  /// True for UDP, the only transport that our agents accept.
  package var isUDP: Bool {
    transport.lowercased() == "udp"
  }

  /// True if the address is a multicast DNS name with which a browser hides its address.
  package var isMDNS: Bool {
    let name = address.lowercased()
    return name.hasSuffix(".local") || name.hasSuffix(".local.")
  }

  /// The ICE generation, if specified.
  package var generation: UInt32? {
    value(of: "generation").flatMap { UInt32(digits: $0) }
  }

  /// The username fragment of the candidate, if specified (RFC 8840 §4.4).
  package var usernameFragment: String? {
    value(of: "ufrag")
  }

  private func value(of name: String) -> String? {
    extensions.first { $0.name == name }?.value
  }
}
