import CNice

/// How media reaches this machine.
package struct ICEConfiguration: Sendable, Hashable {
  /// A relay from which libnice requests an allocation (RFC 8656), with its host name resolved.
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

  /// A STUN server (RFC 8489), with its host name resolved.
  package struct Reflector: Sendable, Hashable {
    package var address: String
    package var port: UInt16

    package init(address: String, port: UInt16) {
      self.address = address
      self.port = port
    }
  }

  /// Addresses to gather candidates on, IPv4 or IPv6; empty means those of all interfaces, and `loopback`.
  package var addresses: [String]
  /// The loopback address on which the service listens, if it does; libnice gathers none by itself.
  package var loopback: String?
  /// UDP ports to bind; nil leaves the choice to the kernel. One peer connection takes one port per address.
  package var ports: ClosedRange<UInt16>?
  package var reflector: Reflector?
  package var relays: [Relay]
  /// The servers announced to clients.
  package var announced: [ICEServer]

  package init(
    addresses: [String] = [], loopback: String? = nil, ports: ClosedRange<UInt16>? = nil, reflector: Reflector? = nil,
    relays: [Relay] = [], announced: [ICEServer] = []
  ) {
    self.addresses = addresses
    self.loopback = loopback
    self.ports = ports
    self.reflector = reflector
    self.relays = relays
    self.announced = announced
  }

  /// The addresses for gathering at this moment; empty leaves the choice to libnice. Networks come and go, so each
  /// connection determines them again.
  var gatheredAddresses: [String] {
    guard addresses.isEmpty, let loopback else { return addresses }
    return InterfaceAddresses.current + [loopback]
  }

  /// The address for receiving plain RTP. It has neither DTLS nor credentials, so it stays on loopback if the service
  /// does.
  var plainAddress: String { addresses.first ?? loopback ?? "0.0.0.0" }

  /// True if candidates may come later than the answer to an offer.
  var gathersRemotely: Bool { reflector != nil || !relays.isEmpty }
}

/// A STUN or TURN server in the format of browsers (W3C WebRTC, RTCIceServer).
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

/// The addresses of this machine's interfaces.
enum InterfaceAddresses {
  /// The addresses of all active interfaces, IPv4 and IPv6, without loopback: those that libnice gathers by itself.
  static var current: [String] {
    var addresses: [String] = []
    let list = nice_interfaces_get_local_ips(0)
    defer { g_list_free_full(list, g_free) }
    var next = list
    while let item = next {
      if let text = item.pointee.data { addresses.append(String(cString: text.assumingMemoryBound(to: CChar.self))) }
      next = item.pointee.next
    }
    return addresses
  }
}
