/// How media reaches this machine.
package struct ICEConfiguration: Sendable, Hashable {
  /// A relay that libnice asks for an allocation (RFC 8656), its host already resolved.
  package struct Relay: Sendable, Hashable {
    package enum Transport: Sendable, Hashable { case udp, tcp, tls }
    package var address: String
    package var port: UInt16
    package var username: String
    package var password: String
    package var transport: Transport

    package init(address: String, port: UInt16, username: String, password: String, transport: Transport = .udp) {
      self.address = address
      self.port = port
      self.username = username
      self.password = password
      self.transport = transport
    }
  }

  /// A STUN server (RFC 8489), its host already resolved.
  package struct Reflector: Sendable, Hashable {
    package var address: String
    package var port: UInt16

    package init(address: String, port: UInt16) {
      self.address = address
      self.port = port
    }
  }

  /// Addresses to gather on, IPv4 or IPv6; empty means every interface but loopback.
  package var addresses: [String]
  /// UDP ports to bind; nil leaves the choice to the kernel. One peer connection takes one port per address.
  package var ports: ClosedRange<UInt16>?
  package var reflector: Reflector?
  package var relays: [Relay]
  /// The servers that clients are told of.
  package var announced: [ICEServer]

  package init(
    addresses: [String] = [], ports: ClosedRange<UInt16>? = nil, reflector: Reflector? = nil, relays: [Relay] = [],
    announced: [ICEServer] = []
  ) {
    self.addresses = addresses
    self.ports = ports
    self.reflector = reflector
    self.relays = relays
    self.announced = announced
  }

  /// True when candidates may come later than the answer to an offer.
  var gathersRemotely: Bool { reflector != nil || !relays.isEmpty }
}

/// A STUN or TURN server as browsers want it (W3C WebRTC, RTCIceServer).
package struct ICEServer: Sendable, Hashable {
  package var urls: [String]
  package var username: String?
  package var credential: String?

  package init(urls: [String], username: String? = nil, credential: String? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}
