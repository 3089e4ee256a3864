import COpenSSL
import Machines
import Testing

@testable import Realtime

/// A client and a server with a line between them whose losses the test chooses.
final class DTLSPair {
  enum Side { case client, server }

  /// One certificate each for the whole test run: making them is the slow part.
  static let clientCertificate = Result { try DTLSCertificate() }
  static let serverCertificate = Result { try DTLSCertificate() }

  /// OpenSSL takes a timer for due 15 ms early, so a lost flight costs a test 3 ms of true time.
  static var quick: DTLSSession.Configuration {
    var configuration = DTLSSession.Configuration()
    configuration.firstRetransmission = .milliseconds(18)
    configuration.longestRetransmission = .milliseconds(18)
    return configuration
  }

  let client: DTLSSession
  let server: DTLSSession
  private(set) var events: [Side: [DTLSSession.Output]] = [:]
  private(set) var sent: [Side: [[UInt8]]] = [.client: [], .server: []]
  private(set) var now = MonotonicTime.start
  /// Says whether the line swallows the n-th datagram (from 0) of a side.
  var loses: (Side, Int) -> Bool = { _, _ in false }

  init(
    client clientConfiguration: DTLSSession.Configuration = DTLSPair.quick,
    server serverConfiguration: DTLSSession.Configuration = DTLSPair.quick,
    clientExpects: [Fingerprint]? = nil, serverExpects: [Fingerprint]? = nil
  ) throws {
    let clientCertificate = try Self.clientCertificate.get()
    let serverCertificate = try Self.serverCertificate.get()
    client = try DTLSSession(
      role: .client, certificate: clientCertificate,
      remoteFingerprints: clientExpects ?? [serverCertificate.fingerprint], configuration: clientConfiguration)
    server = try DTLSSession(
      role: .server, certificate: serverCertificate,
      remoteFingerprints: serverExpects ?? [clientCertificate.fingerprint], configuration: serverConfiguration)
  }

  /// Starts both and drives them until nothing is left to do.
  func run() {
    server.start(at: now)
    client.start(at: now)
    settle()
    let begin = ContinuousClock.now
    while client.deadline != nil || server.deadline != nil {
      // The one place with true time: OpenSSL asks the wall clock whether its retransmission timer has run out.
      now = .start + .nanoseconds(Int64((ContinuousClock.now - begin) / .nanoseconds(1)))
      for session in [client, server] { if let due = session.deadline, due <= now { session.advance(to: now) } }
      settle()
    }
  }

  /// Starts the client with a hello that is as long as Chromium's with its post-quantum key share (1463 bytes).
  func longHello() throws -> [[UInt8]] { try client.longHello(at: now) }

  /// Carries datagrams to and fro until both sides are quiet.
  func settle() {
    var moved = true
    while moved {
      moved = false
      while let output = client.next() { moved = carry(output, from: .client, to: server) || moved }
      while let output = server.next() { moved = carry(output, from: .server, to: client) || moved }
    }
  }

  private func carry(_ output: DTLSSession.Output, from side: Side, to other: DTLSSession) -> Bool {
    guard case .send(let datagram) = output else {
      events[side, default: []].append(output)
      return true
    }
    let index = sent[side]?.count ?? 0
    sent[side]?.append(datagram)
    if !loses(side, index) { datagram.withUnsafeBytes { other.receive($0, at: now) } }
    return true
  }
}

extension DTLSSession {
  /// Starts a client whose hello needs two datagrams, and takes those.
  func longHello(at now: MonotonicTime) throws -> [[UInt8]] {
    // Application protocols that nobody asked for: what makes the hello long does not matter.
    let name = [UInt8(100)] + [UInt8](repeating: 0x78, count: 100)
    let names = Array(repeatElement(name, count: 12).joined())
    try #require(SSL_set_alpn_protos(session, names, UInt32(names.count)) == 0)
    start(at: now)
    var hello: [[UInt8]] = []
    while case .send(let datagram)? = next() { hello.append(datagram) }
    return hello
  }
}

extension MonotonicTime {
  /// Where the time of a test begins.
  static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
}
