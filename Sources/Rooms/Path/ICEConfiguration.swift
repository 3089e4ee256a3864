import CNice

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

  /// Addresses to gather on, IPv4 or IPv6; empty means every interface's, and `loopback`.
  package var addresses: [String]
  /// The address of loopback on which the service listens, where it does; libnice gathers none by itself.
  package var loopback: String?
  /// UDP ports to bind; nil leaves the choice to the kernel. One peer connection takes one port per address.
  package var ports: ClosedRange<UInt16>?
  package var reflector: Reflector?
  package var relays: [Relay]
  /// The servers that clients are told of.
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

  /// Where a connection is gathered at this moment; empty leaves that to libnice. Networks come and go, so each
  /// connection asks anew.
  var gatheredAddresses: [String] {
    guard addresses.isEmpty, let loopback else { return addresses }
    return InterfaceAddresses.current + [loopback]
  }

  /// Where plain RTP is received. Neither DTLS nor credentials guard it, so it stays on loopback where the service does.
  var plainAddress: String { addresses.first ?? loopback ?? "0.0.0.0" }

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

/// The addresses of this machine's interfaces.
enum InterfaceAddresses {
  /// All that are up at this moment, IPv4 and IPv6, without loopback: what libnice gathers on by itself.
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
