import Realtime
import Server

/// How the internet sees this machine.
enum AddressCheck {
  enum Answer: Hashable, Sendable {
    /// No STUN or TURN server is named.
    case notAsked
    case silent(server: String)
    /// The address and port that the server saw, and the address that we sent from.
    case seen(STUNMessage.Place, from: IPAddress, server: String)
  }

  /// - Parameters:
  ///   - ports: the UDP ports of media; nil if the system chooses them.
  ///   - page: the TCP port of the page.
  ///   - announced: the IPv4 address that musicians are told beside our own (`--ice-public-address`).
  static func finding(
    _ answer: Answer, own: [IPAddress], ports: ClosedRange<UInt16>?, page: Int, announced: String? = nil
  ) -> Finding {
    switch answer {
    case .notAsked:
      return Finding(
        .address, .unknown, "How the internet sees this machine cannot be told: no STUN or TURN server is named.",
        remedy: "For musicians elsewhere: --stun HOST[:PORT] (any STUN server), or --turn HOST[:PORT] (coturn).")
    case .silent(let server):
      return Finding(
        .address, .failure, "The STUN server \(server) does not answer.",
        remedy:
          "Is its name right, does it run, and may UDP leave this network? Without it musicians elsewhere may not "
          + "reach a service behind a router.")
    case .seen(let place, let from, let server):
      let address = place.address
      if own.contains(address) {
        return Finding(
          .address, .ok,
          address.isInside
            ? "The STUN server \(server) sees this machine as \(address.text), in a network of your own."
            : "This machine is on the internet as \(address.text), with no router between.")
      }
      guard !address.isInside else {
        return Finding(
          .address, .unknown,
          "The STUN server \(server) sees this machine as \(address.text): it is in a private network itself.",
          remedy: "Name one that is outside: --stun HOST[:PORT].")
      }
      if let announced, case .v4 = address, announced != address.text {
        return Finding(
          .address, .failure,
          "Musicians are told the address \(announced), but the internet sees this machine as \(address.text).",
          remedy: "Has the router got another address? Start the service with --ice-public-address \(address.text).")
      }
      let sentence =
        "This machine (\(from.text)) is behind a router, and on the internet as \(address.text)."
      guard let ports else {
        return Finding(
          .address, .warning, sentence,
          remedy:
            "Choose ports for media (--ice-ports 40000-40099), and have the router forward these (UDP) and \(page) "
            + "(TCP) to \(from.text).")
      }
      return Finding(
        .address, .ok,
        sentence + " It must forward TCP \(page) and UDP \(ports.lowerBound)-\(ports.upperBound) to \(from.text).")
    }
  }
}

extension IPAddress {
  /// True for an address that means something in a network of one's own only.
  var isInside: Bool { [.loopback, .linkLocal, .privateNetwork].contains(scope) }
}
