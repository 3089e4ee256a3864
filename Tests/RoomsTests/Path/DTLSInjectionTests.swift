import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

/// Handshakes of musicians while a stranger sends DTLS to every port in sight.
@Suite(.timeLimit(.minutes(5))) struct DTLSInjectionTests {
  /// Sends a stranger's handshake and alerts, some 2,000 a second, until stopped.
  private actor Stranger {
    /// Datagrams at each beat, to each port.
    private static let burst = 10
    private static let beat = MonotonicTime.Span.milliseconds(5)

    private let loop: MediaLoop
    private let endpoint = UDPEndpoint()
    private var ticker: Ticker?
    private(set) var sent = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: MediaLoop) { self.loop = loop }

    func begin(_ poison: Poison, to ports: [UInt16]) {
      inject(poison, to: ports)
      ticker = Ticker(loop: loop, interval: Stranger.beat) { [weak self] _ in
        self?.assumeIsolated { $0.inject(poison, to: ports) }
      }
    }

    private func inject(_ poison: Poison, to ports: [UInt16]) {
      for port in ports {
        for _ in 0..<Stranger.burst {
          endpoint.send(poison.datagram(sent), to: port)
          sent += 1
        }
      }
    }

    func stop() {
      ticker?.stop()
      ticker = nil
    }
  }

  /// What ends a handshake that believes it.
  private struct Poison: Sendable {
    /// Of another client.
    private let hello: [[UInt8]]

    init() throws {
      let other = try DTLSSession(role: .client, certificate: try DTLSCertificate(), remoteFingerprints: [])
      other.start(at: MonotonicClock.now)
      var hello: [[UInt8]] = []
      while case .send(let datagram)? = other.next() { hello.append(datagram) }
      self.hello = hello
    }

    /// Fatal alerts, close_notify, a ServerHello and a Finished of noise, a change of cipher, another client's hello.
    func datagram(_ number: Int) -> [UInt8] {
      let header: [UInt8] = [0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16]
      switch number % 7 {
      case 0: return record(21, number, [2, 40])
      case 1: return record(21, number, [2, 10])
      case 2: return record(21, number, [1, 0])
      case 3: return record(22, number, [2] + header + [UInt8](repeating: 7, count: 16))
      case 4: return record(22, number, [20] + header + [UInt8](repeating: 9, count: 16))
      case 5: return record(20, number, [1])
      default: return hello[number % hello.count]
      }
    }

    /// A DTLS 1.2 record of epoch 0 (RFC 6347 section 4.1). Its sequence number is beyond those of the handshake: an
    /// earlier one would be dropped as a copy.
    private func record(_ type: UInt8, _ number: Int, _ fragment: [UInt8]) -> [UInt8] {
      let low = UInt16(truncatingIfNeeded: number)
      return [type, 0xFE, 0xFD, 0, 0, 0, 0, 0, 1, UInt8(low >> 8), UInt8(low & 0xFF), 0, UInt8(fragment.count)]
        + fragment
    }
  }

  private static func ports(in description: String) -> [UInt16] {
    description.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("a=candidate:") }
      .compactMap { try? ICECandidate(parsing: String($0)).port }
  }

  @Test func noneOfTenHandshakesFails() async throws {
    let service = try await LiveService()
    let poison = try Poison()
    let label = try service.label("mic")
    for round in 0..<10 {
      let room = try RoomName(checking: "room-\(round)")
      let membership = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "Ada")))
      let peer = ClientPeer(
        loop: service.clients, sends: true, configuration: service.ice, certificate: service.certificate)
      let offer = try await peer.offer()
      let stranger = Stranger(loop: try MediaLoop(name: "stranger"))
      guard case .answer(_, let answer) = try await membership.perform(.publish(label, offer: offer)) else {
        throw ClientPeer.Failure(description: "no answer")
      }
      let ports = Self.ports(in: offer) + Self.ports(in: answer)
      #expect(ports.count >= 2, "one of each side")
      // The first of them wait in the sockets before the handshake begins.
      await stranger.begin(poison, to: ports)
      try await peer.accept(answer: answer)
      try await peer.waitUntilConnected()
      // The service's end, too: it says so to the member.
      for await event in membership.events { if case .peer(label, .connected) = event { break } }
      await stranger.stop()
      #expect(await stranger.sent > 0)
      await peer.close()
      await membership.leave()
    }
    await service.end()
  }
}
