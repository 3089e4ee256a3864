import Glibc
import Machines
import Realtime

/// ICE, DTLS and SRTP on one socket: the musician's end of a WebRTC connection to the recorder.
///
/// Until it is connected, checks and the handshake are answered at once. From then on all takes the musician's path, with its
/// delay and its loss.
final class SecureWire: MusicianWire {
  private let socket: LoopbackSocket
  private let local: NegotiatedSession.ICECredentials
  private let remote: NegotiatedSession.ICECredentials
  /// The recorder's address, by which its checks are answered.
  private let place: STUNMessage.Place
  private let dtls: DTLSSession
  private var srtp: SRTPContext?
  private var isReachable = false

  /// Nanoseconds from one check to the next, and those that all of the connecting may take.
  private static let checkInterval: Int64 = 50_000_000
  private static let patience: Int64 = 20_000_000_000

  /// Connects, which takes this thread for as long.
  /// - Throws: `LaboratoryProblem` if there is no way to the recorder or the handshake fails.
  init(_ offer: SecureOffer, _ answer: NegotiatedSession) throws {
    let candidates = answer.remoteCandidates.compactMap { try? ICECandidate(parsing: $0) }
      .filter { $0.isUDP && $0.type == .host }
    // Loopback has precedence, for a machine whose interfaces come and go.
    guard let candidate = candidates.first(where: { $0.address == "127.0.0.1" }) ?? candidates.first,
      let address = IPAddress(parsing: candidate.address), case .v4(let host) = address
    else { throw LaboratoryProblem("no IPv4 candidate among \(answer.remoteCandidates)") }
    socket = try LoopbackSocket(to: candidate.port, of: host)
    place = STUNMessage.Place(address, port: candidate.port)
    (local, remote) = (offer.credentials, answer.remoteCredentials)
    dtls = try DTLSSession(
      role: answer.dtlsRole, certificate: offer.certificate, remoteFingerprints: answer.remoteFingerprints)
    try connect()
  }

  var descriptor: Int32 { socket.descriptor }

  func seal(_ bytes: [UInt8], isReport: Bool) -> [UInt8]? {
    guard let srtp else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (isReport ? try? srtp.protect(rtcp: bytes) : try? srtp.protect(rtp: bytes)).map { [UInt8]($0) }
    }
  }

  func deliver(_ bytes: [UInt8]) -> Bool { socket.send(bytes) }

  func hear() -> [UInt8]? {
    while let bytes = socket.receive() {
      if let heard = try? take(bytes) { return heard }
    }
    return nil
  }

  func answer(toCheck bytes: [UInt8]) -> [UInt8]? {
    guard let request = try? STUNMessage(parsing: bytes), request.kind == .bindingRequest else { return nil }
    return BindingMessage.answer(to: request, from: place, password: local.password)
  }

  func stranger() throws -> LoopbackSocket { try socket.stranger() }

  // MARK: Connecting

  private func connect() throws {
    let deadline = LaboratoryClock.now + SecureWire.patience
    var nextCheck = LaboratoryClock.now
    let alarm = try LaboratoryAlarm()
    while srtp == nil {
      let now = LaboratoryClock.now
      guard now < deadline else {
        throw LaboratoryProblem("no connection to \(place): \(isReachable ? "no handshake" : "no answer to a check")")
      }
      if now >= nextCheck {
        if !isReachable { socket.send(check()) }
        nextCheck = now + SecureWire.checkInterval
      }
      dtls.advance(to: MonotonicTime(nanoseconds: now))
      try send()
      alarm.set(min(nextCheck, dtls.deadline?.nanoseconds ?? nextCheck))
      alarm.wait(or: [descriptor])
      while let bytes = socket.receive() { _ = try take(bytes) }
    }
  }

  private func check() -> [UInt8] {
    let transaction = (0..<12).map { _ in UInt8.random(in: 0...255) }
    return BindingMessage.check(from: local, to: remote, transaction: transaction)
  }

  /// Takes a datagram; what the recorder reports in it, decrypted, or its check. What it is, its first byte tells (RFC 7983).
  private func take(_ bytes: [UInt8]) throws -> [UInt8]? {
    switch bytes.first ?? 0 {
    case 0...3:
      let message = try STUNMessage(parsing: bytes)
      if message.kind == .bindingRequest {
        guard srtp == nil else { return bytes }
        if let answer = answer(toCheck: bytes) { socket.send(answer) }
      } else if message.kind == .bindingSuccess, !isReachable {
        isReachable = true
        dtls.start(at: now)
        try send()
      }
      return nil
    case 20...63:
      bytes.withUnsafeBytes { dtls.receive($0, at: now) }
      try send()
      return nil
    case 128...191:
      guard let srtp else { return nil }
      return try bytes.withUnsafeBytes { [UInt8](try srtp.unprotect(rtcp: $0)) }
    default: return nil
    }
  }

  private func send() throws {
    while let output = dtls.next() {
      switch output {
      case .send(let bytes): socket.send(bytes)
      case .connected:
        guard let keys = dtls.takeKeys() else { throw LaboratoryProblem("a handshake without keys") }
        srtp = try SRTPContext(keys: keys)
      case .failed(let failure): throw LaboratoryProblem("the handshake with \(place) failed: \(failure)")
      case .closed: break
      }
    }
  }

  private var now: MonotonicTime { MonotonicTime(nanoseconds: LaboratoryClock.now) }
}
