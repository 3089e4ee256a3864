/// Decides which remote candidates are checked (promise 10).
///
/// A candidate makes us send connectivity checks to an address chosen by the peer, so it could make us knock at our own
/// machine, at our network, or at a stranger's door. A refused candidate is no error (RFC 8838 §11 lets an agent ignore
/// candidates): a peer behind it finds us by its own checks, which prove themselves by the password of the connection.
package struct CandidatePolicy: Sendable, Hashable {
  /// Maximum number of candidates per connection and ICE generation; browsers have a dozen.
  package static let limit = 64
  /// Ports below this one belong to services (RFC 6335 §6), and no ICE agent binds one.
  package static let leastPort: UInt16 = 1_024

  /// This machine, as seen from the network.
  package struct Surroundings: Sendable, Hashable {
    /// Every address of the machine.
    package var own: Set<IPAddress>
    /// The networks of the addresses that receive media.
    package var networks: [IPNetwork]

    package init(own: Set<IPAddress> = [], networks: [IPNetwork] = []) {
      // Candidates are compared in this form.
      self.own = Set(own.map(\.unwrapped))
      self.networks = networks
    }
  }

  package enum Verdict: Sendable, Hashable {
    /// Check it; the value of its attribute, written anew so that no second parser can read it in another way.
    case check(String)
    /// It cannot be used: a name (mDNS), TCP, another component, or unreadable.
    case pass
    case refuse(Objection)
  }

  /// The reason to refuse a candidate; a closed set, since it labels a metric.
  package enum Objection: String, Error, Sendable, Hashable, CaseIterable {
    /// Port 0, or one of the system's services.
    case port
    /// This machine: loopback or one of its own addresses.
    case machine
    /// Allowed machine, but a port of this service.
    case service
    /// A private network that is not allowed.
    case privateNetwork = "private"
    /// Public addresses are not allowed.
    case everywhere = "public"
    case linkLocal = "link-local"
    case multicast
    /// Unspecified, broadcast, documentation, unassigned.
    case reserved
    /// More than `limit`.
    case tooMany = "too-many"
  }

  package var reach: PeerReach
  package var surroundings: Surroundings
  /// Ports on which this service listens.
  package var servicePorts: [ClosedRange<UInt16>]

  package init(
    reach: PeerReach, surroundings: Surroundings = Surroundings(), servicePorts: [ClosedRange<UInt16>] = []
  ) {
    self.reach = reach
    self.surroundings = surroundings
    self.servicePorts = servicePorts
  }

  /// Judges the value of an `a=candidate` line.
  package func verdict(on text: String) -> Verdict {
    guard let candidate = try? ICECandidate(parsing: text), candidate.isUDP, candidate.component == 1,
      let address = IPAddress(parsing: candidate.address)
    else { return .pass }
    if let objection = objection(to: address.unwrapped, port: candidate.port) { return .refuse(objection) }
    return .check(candidate.value)
  }

  private func objection(to address: IPAddress, port: UInt16) -> Objection? {
    guard port >= CandidatePolicy.leastPort else { return .port }
    let scope = address.scope
    if scope == .multicast { return .multicast }
    if scope == .unusable || surroundings.networks.contains(where: { $0.isBroadcast(address) }) { return .reserved }
    let isNamed = reach.networks.contains { $0.contains(address) }
    if scope == .loopback || surroundings.own.contains(address) {
      guard isNamed || reach.words.contains(.machine) else { return .machine }
      return servicePorts.contains { $0.contains(port) } ? .service : nil
    }
    if isNamed { return nil }
    if scope == .linkLocal { return .linkLocal }
    // A network that we are in is real, whatever the registry says of its number.
    if reach.words.contains(.nearby), surroundings.networks.contains(where: { $0.contains(address) }) { return nil }
    return switch scope {
    case .global: reach.words.contains(.everywhere) ? nil : .everywhere
    case .privateNetwork: reach.words.contains(.everyPrivate) ? nil : .privateNetwork
    case .reserved, .unusable, .name: .reserved
    case .linkLocal: .linkLocal
    case .loopback: .machine
    case .multicast: .multicast
    }
  }
}

/// The remote candidates of one connection: applies the policy and counts.
package struct CandidateScreen: Sendable, Hashable {
  private let policy: CandidatePolicy
  /// Candidates of this ICE generation, whatever became of them.
  private var count = 0

  package init(_ policy: CandidatePolicy) {
    self.policy = policy
  }

  /// True if no further candidate will be checked.
  package var isFull: Bool { count >= CandidatePolicy.limit }

  package mutating func verdict(on text: String) -> CandidatePolicy.Verdict {
    guard !isFull else { return .refuse(.tooMany) }
    count += 1
    return policy.verdict(on: text)
  }

  /// A restart replaces all candidates (RFC 8839 §4.4.1.1.1).
  package mutating func restart() { count = 0 }
}
