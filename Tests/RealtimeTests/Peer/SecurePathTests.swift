import Machines
import Testing

@testable import Realtime

struct SecurePathTests {
  @Test func keepsAHelloInTwoDatagramsUntilThePathIsUp() throws {
    let pair = try PathPair()
    for datagram in try pair.client.longHello(at: .start) {
      datagram.withUnsafeBytes { pair.path.receive(dtls: $0, at: .start) }
    }
    #expect(pair.path.next() == nil, "no answer before there is a way for it")
    pair.path.connect(at: .start)
    #expect(pair.finish() == [.connected(.aeadAES128GCM)])
  }

  @Test func keepsOnlyAHandfulOfEarlyHandshakeDatagrams() throws {
    let pair = try PathPair()
    for _ in 0..<1_000 {
      [UInt8](repeating: 22, count: 500).withUnsafeBytes { pair.path.receive(dtls: $0, at: .start) }
    }
    #expect(pair.path.refusals.outOfSeason == 1_000 - 16)
  }

  @Test func keepsMediaThatOvertakesTheLastFlight() throws {
    let pair = try PathPair()
    pair.client.start(at: .start)
    pair.path.connect(at: .start)
    // Ciphertext for keys that nobody has yet: only whether it is kept matters here.
    for index in 0..<100 {
      let datagram = SRTPPair.rtp(UInt16(index))
      let opened = datagram.withUnsafeBytes {
        pair.path.open($0, kind: .rtp, at: .start + .milliseconds(Int64(index))) != nil
      }
      #expect(!opened)
    }
    #expect(pair.path.takeHeldMedia().isEmpty, "not before the keys are there")
    _ = pair.finish()
    let held = pair.path.takeHeldMedia()
    #expect(held.count == 64)
    #expect(held.last?.arrival == .start + .milliseconds(63), "each keeps its arrival time")
    #expect(pair.path.refusals.outOfSeason == 36)
    #expect(pair.path.takeHeldMedia().isEmpty)
  }

  @Test func opensNothingBeforeThePathIsUp() throws {
    let pair = try PathPair()
    let opened = SRTPPair.rtp(1).withUnsafeBytes { pair.path.open($0, kind: .rtp, at: .start) != nil }
    #expect(!opened)
    #expect(pair.path.refusals.outOfSeason == 1)
  }

  @Test func sealsNothingBeforeItIsConnectedNorAfterTheEnd() throws {
    let pair = try PathPair()
    pair.client.start(at: .start)
    func seals() -> Bool { SRTPPair.rtp(1).withUnsafeBytes { pair.path.seal(rtp: $0) != nil } }
    #expect(!seals())
    pair.path.connect(at: .start)
    #expect(!seals())
    _ = pair.finish()
    #expect(seals())
    pair.path.close()
    #expect(!seals())
  }

  @Test func aPlainPathCarriesBytesAsTheyAre() throws {
    var path = SecurePath()
    path.connect(at: .start)
    #expect(path.next() == .connected(nil))
    let packet = SRTPPair.rtp(1)
    let (opened, sealed) = packet.withUnsafeBytes { bytes in
      (path.open(bytes, kind: .rtp, at: .start).map { [UInt8]($0) }, path.seal(rtp: bytes).map { [UInt8]($0) })
    }
    #expect(opened == packet)
    #expect(sealed == packet)
  }

  @Test func handshakesMeanNothingToAPathThatHasItsKeys() throws {
    var path = SecurePath()
    path.connect(at: .start)
    [UInt8](repeating: 22, count: 50).withUnsafeBytes { path.receive(dtls: $0, at: .start) }
    #expect(path.refusals.garbage == 1)
  }
}

/// A path that waits for the other side's hello, and the client that will say it.
private final class PathPair {
  var path: SecurePath
  let client: DTLSSession

  init() throws {
    let mine = try DTLSPair.serverCertificate.get()
    let other = try DTLSPair.clientCertificate.get()
    path = SecurePath(
      dtls: try DTLSSession(
        role: .server, certificate: mine, remoteFingerprints: [other.fingerprint], configuration: DTLSPair.quick))
    client = try DTLSSession(
      role: .client, certificate: other, remoteFingerprints: [mine.fingerprint], configuration: DTLSPair.quick)
  }

  /// Carries the handshake on until neither side has anything to say; answers what else the path said.
  func finish() -> [SecurePath.Event] {
    var events: [SecurePath.Event] = []
    var moved = true
    while moved {
      moved = false
      while case .send(let datagram)? = client.next() {
        datagram.withUnsafeBytes { path.receive(dtls: $0, at: .start) }
        moved = true
      }
      while let event = path.next() {
        moved = true
        guard case .send(let datagram) = event else {
          events.append(event)
          continue
        }
        datagram.withUnsafeBytes { client.receive($0, at: .start) }
      }
    }
    return events
  }
}
