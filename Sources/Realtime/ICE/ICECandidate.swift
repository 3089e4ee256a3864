/// An ICE candidate as text says it (RFC 8839 §5.1): where a side may be reached.
///
/// Candidates come inside descriptions (`a=candidate:…`) and one by one by trickle (`candidate:…`); both spellings
/// and the bare value are read. Everything of the line is kept, so that a relayed candidate loses nothing.
package struct ICECandidate: Sendable, Hashable {
  /// How the address was found.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relayed = "relay"
  }

  /// Who opens a TCP candidate's connection (RFC 6544 §4.5).
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

  /// Groups candidates of one base; 1 to 32 ICE characters, though implementations are not strict about it.
  package var foundation: String
  /// 1 for RTP (and for RTCP, multiplexed), 2 for RTCP apart.
  package var component: UInt16
  /// The transport as written, "udp" or "tcp" in any case.
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
  /// Pairs that this type has no field for, in order.
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

  /// True for datagrams, the only transport that our agents take.
  package var isUDP: Bool {
    transport.lowercased() == "udp"
  }

  /// True where the address is a name of multicast DNS that a browser hides its address behind.
  package var isMDNS: Bool {
    let name = address.lowercased()
    return name.hasSuffix(".local") || name.hasSuffix(".local.")
  }

  /// The ICE generation, where the line says one.
  package var generation: UInt32? {
    value(of: "generation").flatMap { UInt32(digits: $0) }
  }

  /// The username fragment that the candidate belongs to, where the line says it (RFC 8840 §4.4).
  package var usernameFragment: String? {
    value(of: "ufrag")
  }

  private func value(of name: String) -> String? {
    extensions.first { $0.name == name }?.value
  }
}
