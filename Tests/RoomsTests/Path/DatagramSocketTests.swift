import Glibc
import Machines
import Recording
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct DatagramSocketTests {
  /// A socket on its loop.
  actor Door {
    private let loop: MediaLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: MediaLoop) { self.loop = loop }

    /// Sends itself a datagram of `count` bytes from a stranger's socket; answers how many bytes it would send back
    /// there.
    func answer(to count: Int, confirming isGood: Bool) async throws -> Int {
      let socket = try DatagramSocket(loop: loop, host: "127.0.0.1", ports: nil)
      let stranger = UDPEndpoint()
      defer { socket.close() }
      return await withCheckedContinuation { continuation in
        socket.onDatagram = { [unowned socket] _, _, _, _ in
          if isGood { socket.confirm() }
          var sent = 0
          let request = [UInt8](repeating: 0, count: 16)
          while request.withUnsafeBytes({ socket.send($0) }) { sent += request.count }
          socket.onDatagram = { _, _, _, _ in }
          continuation.resume(returning: sent)
        }
        stranger.send([UInt8](repeating: 0, count: count), to: socket.port)
      }
    }

    /// Keeps the loop's thread from everything else: time itself is what these tests are about, no event ends it.
    private static func pass(_ stall: MonotonicTime.Span) { usleep(UInt32(stall.nanoseconds / 1_000)) }

    /// How long a datagram seems to be on its way that comes while its loop has been busy for `stall` with the one before.
    func delay(behind stall: MonotonicTime.Span) async throws -> MonotonicTime.Span {
      let socket = try DatagramSocket(loop: loop, host: "127.0.0.1", ports: nil)
      let sender = UDPEndpoint()
      defer { socket.close() }
      return await withCheckedContinuation { continuation in
        socket.onDatagram = { [unowned socket] _, _, _, _ in
          Door.pass(stall)
          let sent = MonotonicClock.now
          socket.onDatagram = { [unowned socket] _, _, _, arrival in
            socket.onDatagram = { _, _, _, _ in }
            continuation.resume(returning: arrival - sent)
          }
          sender.send([2], to: socket.port)
        }
        sender.send([1], to: socket.port)
      }
    }

    /// By how much later than it came a datagram is read, where its loop is busy with something else for `stall`.
    func lateness(behind stall: MonotonicTime.Span) async throws -> MonotonicTime.Span {
      let socket = try DatagramSocket(loop: loop, host: "127.0.0.1", ports: nil)
      let sender = UDPEndpoint()
      defer { socket.close() }
      return await withCheckedContinuation { continuation in
        socket.onDatagram = { [unowned socket] _, _, now, arrival in
          socket.onDatagram = { _, _, _, _ in }
          continuation.resume(returning: now - arrival)
        }
        sender.send([1], to: socket.port)
        Door.pass(stall)
      }
    }
  }

  @Test func whatComesWhileOthersAreReadCameThen() async throws {
    let door = Door(loop: try MediaLoop(name: "test"))
    // The clocks that are compared are not the same: their readings may be some microseconds apart.
    #expect(try await door.delay(behind: .milliseconds(50)) > .milliseconds(-1))
  }

  @Test func aDatagramCameWhenTheKernelHadIt() async throws {
    let door = Door(loop: try MediaLoop(name: "test"))
    let stall = MonotonicTime.Span.milliseconds(100)
    #expect(try await door.lateness(behind: stall) >= stall / 2)
  }

  @Test func noMoreIsSentThanThreeTimesWhatCame() async throws {
    let door = Door(loop: try MediaLoop(name: "test"))
    #expect(try await door.answer(to: 30, confirming: true) == 80)
    #expect(try await door.answer(to: 30, confirming: false) == 0)
  }
}
