import Glibc
import Machines
import Realtime
import Recording
import Rooms

/// A place at a TURN server (RFC 8656), asked for as a musician's browser would.
struct RelayProbe {
  let relay: ICEConfiguration.Relay
  let transport: ProbeSocket.Transport

  /// A place that was given; it ends with `end`, or by itself after ten minutes.
  struct Place {
    let client: STUNClient
    let credentials: STUNCredentials
    let relayed: STUNMessage.Place
    /// How the server sees this machine.
    let seen: STUNMessage.Place?

    func end() {
      let id = STUNClient.transaction()
      let message = STUNMessage(.refreshRequest, transaction: id, [STUNMessage.endsAllocation])
      _ = try? client.ask(credentials.sign(message), transaction: id)
    }
  }

  /// User name of the doctor, for the server's log.
  private static let user = "doctor"

  func run() -> (outcome: RelayCheck.Outcome, place: Place?) {
    do throws(ProbeSocket.Failure) {
      return try allocate()
    } catch {
      return (.unreachable(error.code), nil)
    }
  }

  private func allocate() throws(ProbeSocket.Failure) -> (RelayCheck.Outcome, Place?) {
    let client = try STUNClient(transport, host: relay.address, port: relay.port)
    let first = try ask(client, nil)
    guard case .message(let challenge) = first else { return (RelayProbe.outcome(first), nil) }
    if challenge.kind == .allocateSuccess { return (.open, nil) }
    guard challenge.kind == .allocateError, let realm = challenge.realm, let nonce = challenge.nonce else {
      return (challenge.refusal.map { .refused($0) } ?? .foreign, nil)
    }
    var credentials = STUNCredentials(
      relay.credentials(for: RelayProbe.user, at: MonotonicClock.wall), realm: realm, nonce: nonce)
    let began = MonotonicClock.now
    var second = try ask(client, credentials)
    // The server wants a fresh nonce (438).
    if case .message(let answer) = second, answer.refusal?.code == 438, let fresh = answer.nonce {
      credentials.nonce = fresh
      second = try ask(client, credentials)
    }
    guard case .message(let answer) = second else { return (RelayProbe.outcome(second), nil) }
    if let refusal = answer.refusal { return (.refused(refusal), nil) }
    guard answer.kind == .allocateSuccess, let relayed = answer.relayedAddress else { return (.foreign, nil) }
    let took = (MonotonicClock.now - began).milliseconds
    let place = Place(client: client, credentials: credentials, relayed: relayed, seen: answer.mappedAddress)
    return (.allocated(at: relayed, milliseconds: Int64(saturating: took)), place)
  }

  private func ask(
    _ client: STUNClient, _ credentials: STUNCredentials?
  ) throws(ProbeSocket.Failure) -> STUNClient.Answer {
    let id = STUNClient.transaction()
    let message = STUNMessage(.allocateRequest, transaction: id, [STUNMessage.requestsUDP])
    return try client.ask(credentials?.sign(message) ?? message.bytes, transaction: id)
  }

  private static func outcome(_ answer: STUNClient.Answer) -> RelayCheck.Outcome {
    if case .foreign = answer { .foreign } else { .silent }
  }
}

extension RelayProbe.Place {
  /// Datagrams sent to the port, and how long to wait after each, in milliseconds.
  private static let attempts = 3
  private static let wait: Int32 = 700

  /// Has the relay send a packet to a port of this machine that has sent nothing itself, so that no router opens it.
  /// - Returns: the port that was tried.
  func reach(_ ports: [UInt16], own: [IPAddress]) -> (MediaCheck.Outcome, UInt16) {
    guard let seen else { return (.notTried("the TURN server does not say where it sees this machine"), 0) }
    guard !own.contains(relayed.address), !seen.address.isInside else {
      return (.notTried("the TURN server is not outside"), 0)
    }
    for port in ports {
      guard let socket = try? ProbeSocket(.udp, on: seen.address.unspecified, port: port) else { continue }
      return (
        reach(STUNMessage.Place(seen.address, port: socket.local?.port ?? port), socket), socket.local?.port ?? port
      )
    }
    return (.noPort, ports.first ?? 0)
  }

  private func reach(_ target: STUNMessage.Place, _ socket: ProbeSocket) -> MediaCheck.Outcome {
    let id = STUNClient.transaction()
    let permission = STUNMessage(.permissionRequest, transaction: id, [STUNMessage.peer(target, transaction: id)])
    guard case .message(let answer)? = try? client.ask(credentials.sign(permission), transaction: id) else {
      return .notTried("the TURN server does not answer")
    }
    guard answer.kind == .permissionSuccess else {
      return .notTried("the TURN server does not send to \(target.address.text)")
    }
    let token = STUNClient.transaction()
    for _ in 0..<RelayProbe.Place.attempts {
      let id = STUNClient.transaction()
      let message = STUNMessage(
        .sendIndication, transaction: id, [STUNMessage.peer(target, transaction: id), STUNMessage.data(token)])
      guard (try? client.socket.send(message.bytes)) != nil else { return .notTried("the TURN server is gone") }
      if let received = try? socket.receive(within: RelayProbe.Place.wait), received == token { return .reached }
    }
    return .lost
  }
}

extension IPAddress {
  /// The address that stands for all of its family.
  fileprivate var unspecified: String { if case .v4 = self { "0.0.0.0" } else { "::" } }
}
