import Machines
import Recording
import Rooms
import Synchronization

/// The stream that a WebSocket server publishes by its Audio Connector.
///
/// It begins with the server's first sound, and goes on with silence where the server says nothing: a track of one piece.
final class ConnectorVoice: Sendable {
  private static let packet = MonotonicTime.Span.milliseconds(20)
  /// A service that stood still for longer goes on from there, without what would be late.
  private static let longestDelay = MonotonicTime.Span.seconds(1)
  /// Samples of a packet at 48 kHz.
  private static let length: Int64 = 960

  private let isStereo: Bool
  private let input: Mutex<LinearInput>
  private let beginning: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// - Throws: `OpusFailure`.
  init(rate: Int, channels: Int) throws(OpusFailure) {
    isStereo = channels == 2
    input = Mutex(try LinearInput(rate: rate, channels: channels))
    (beginning, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Takes sound of the server's without waiting.
  func hear(_ sound: [UInt8]) {
    guard !sound.isEmpty else { return }
    input.withLock { $0.add(sound) }
    bell.yield()
  }

  /// Publishes in the name of the member until cancellation, or until the member is gone.
  /// - Throws: `RoomRefusal`, `OpusFailure`.
  func publish(by membership: Membership) async throws {
    for await _ in beginning { break }
    guard !Task.isCancelled else { return }
    let feed = try await membership.openFeed(origin: "connector", codec: "l16", isStereo: isStereo)
    var (start, number) = (MonotonicClock.now, Int64(0))
    while !Task.isCancelled {
      let opus = try input.withLock { try $0.packet() }
      try await feed.send([
        .init(opus: opus, timestamp: number &* ConnectorVoice.length, arrival: MonotonicClock.now)
      ])
      number &+= 1
      let due = start + ConnectorVoice.packet * number
      let now = MonotonicClock.now
      if now - due > ConnectorVoice.longestDelay {
        start = start + (now - due)
      } else if due > now {
        try? await Task.sleep(for: .nanoseconds((due - now).nanoseconds))
      }
    }
  }
}
