import Music
import Realtime
import Signaling
import Synchronization

/// How media reaches this machine.
package struct ICEConfiguration: Sendable, Hashable {
  /// A relay from which libnice requests an allocation (RFC 8656), with its host name resolved.
  package struct Relay: Sendable, Hashable {
    package enum Transport: Sendable, Hashable { case udp, tcp, tls }
    /// How the relay knows its users.
    package enum Access: Sendable, Hashable {
      /// One user for everybody.
      case fixed(RelaySecret.Credentials)
      /// Credentials for each participant, valid for some hours.
      case timeLimited(RelaySecret)
    }

    package var address: String
    package var port: UInt16
    package var transport: Transport
    package var access: Access
    /// The relay's URL as announced to clients (RFC 7065), without a transport.
    package var url: String

    package init(address: String, port: UInt16, transport: Transport = .udp, access: Access, url: String) {
      self.address = address
      self.port = port
      self.transport = transport
      self.access = access
      self.url = url
    }

    /// What is announced: a relay reached by UDP also takes TCP (RFC 8656 section 2.1), which some networks permit alone.
    /// Clients prefer UDP.
    var urls: [String] {
      switch transport {
      case .udp: [url, url + "?transport=tcp"]
      case .tcp: [url + "?transport=tcp"]
      case .tls: [url]
      }
    }

    /// The credentials of a user from `now` on.
    package func credentials(for user: String, at now: WallTime) -> RelaySecret.Credentials {
      switch access {
      case .fixed(let credentials): credentials
      case .timeLimited(let secret): secret.credentials(for: user, at: now.milliseconds / 1_000)
      }
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
  /// The IPv4 address by which the internet reaches this machine, if a router or a cloud leads its ports here (1:1, or the
  /// range `ports`); it is announced beside the addresses of the interfaces.
  package var publicAddress: String?
  /// The loopback address on which the service listens, if it does; libnice gathers none by itself.
  package var loopback: String?
  /// UDP ports to bind; nil leaves the choice to the kernel. One peer connection takes one port per address.
  package var ports: ClosedRange<UInt16>?
  package var reflector: Reflector?
  package var relays: [Relay]
  /// The servers announced to clients in addition to the relays.
  package var announced: [ICEServer]
  /// The remote candidates that are checked; nil for the usual ones.
  package var reach: PeerReach?
  /// Ports of this machine at which no candidate may point, in addition to `ports`: those of HTTP and RTMP.
  package var servicePorts: [UInt16]

  package init(
    addresses: [String] = [], publicAddress: String? = nil, loopback: String? = nil,
    ports: ClosedRange<UInt16>? = nil, reflector: Reflector? = nil, relays: [Relay] = [], announced: [ICEServer] = [],
    reach: PeerReach? = nil, servicePorts: [UInt16] = []
  ) {
    self.addresses = addresses
    self.publicAddress = publicAddress
    self.loopback = loopback
    self.ports = ports
    self.reflector = reflector
    self.relays = relays
    self.announced = announced
    self.reach = reach
    self.servicePorts = servicePorts
  }

  /// The user name of our own allocations.
  static let ownUser = "jamjar"

  /// STUN and TURN servers for a client, with credentials for this participant.
  package func servers(for participant: String, at now: WallTime) -> [ICEServer] {
    announced
      + relays.map { relay in
        let credentials = relay.credentials(for: participant, at: now)
        return ICEServer(urls: relay.urls, username: credentials.username, credential: credentials.password)
      }
  }

  /// Which remote candidates are checked at this moment, as networks come and go.
  var candidatePolicy: CandidatePolicy {
    let interfaces = InterfaceAddresses.networks
    let given = addresses.compactMap { IPAddress(parsing: $0) }
    let isOnLoopback = loopback != nil || given.contains { $0.scope == .loopback }
    // With named addresses, only their networks are near: a machine may have others.
    let near = interfaces.filter { given.isEmpty || given.contains($0.address) }
    // A check of the outer address would come back to this machine.
    let own = interfaces.map(\.address) + [publicAddress.flatMap { IPAddress(parsing: $0) }].compactMap { $0 }
    return CandidatePolicy(
      reach: reach ?? .usual(onLoopback: isOnLoopback),
      surroundings: .init(own: Set(own), networks: near.compactMap(\.network)),
      servicePorts: servicePorts.map { $0...$0 } + (ports.map { [$0] } ?? []))
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

/// Counts refused candidates of the whole service.
final class CandidateCounts: Sendable {
  private let counts = Mutex<[CandidatePolicy.Objection: Int]>([:])

  func count(_ objection: CandidatePolicy.Objection) {
    counts.withLock { $0[objection, default: 0] += 1 }
  }

  var refused: [CandidatePolicy.Objection: Int] { counts.withLock { $0 } }
}
