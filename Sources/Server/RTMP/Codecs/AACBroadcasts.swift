import Music
import Rooms
import Signaling
import Synchronization

/// The running AAC encoders: one for each source, shared by all its players and gone with the last one.
final class AACBroadcasts: Sendable {
  /// What is encoded.
  struct Key: Hashable, Sendable {
    var room: RoomName
    var source: AudioSource
    /// The only musicians of a mix; nil for all.
    var only: Set<ParticipantID>?
  }

  private let transcoders: Transcoders
  private let running = Mutex<[Key: AACBroadcast]>([:])

  init(_ transcoders: Transcoders) {
    self.transcoders = transcoders
  }

  /// Plays the packets of one listener's tap to it as AAC frames, until they end or the encoder fails.
  ///
  /// - Throws: `RTMPCallError` if no encoder runs and none may be started, `AudioTranscoder.Refusal` and other errors of
  ///   the encoder.
  func play(
    _ key: Key, _ packets: AsyncStream<AudioTap.Packet>, _ body: @escaping @Sendable ([UInt8]) -> Void
  ) async throws {
    let listening = Listening(try join(key))
    defer { leave(listening.place, key) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await packet in packets { listening.place.broadcast.offer(packet, by: listening.place.seat.number) }
      }
      group.addTask { try await self.hear(key, listening, body) }
      // Either the tap or the encoder ends first.
      defer { group.cancelAll() }
      _ = try await group.next()
    }
  }

  private struct Place {
    var broadcast: AACBroadcast
    var seat: AACBroadcast.Seat
  }

  /// A listener's place in the encoder of the moment.
  private final class Listening: Sendable {
    private let state: Mutex<Place>

    init(_ place: Place) {
      state = Mutex(place)
    }

    var place: Place {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// Encoders that a listener may lose.
  private static let mostRestarts = 3

  private func hear(_ key: Key, _ listening: Listening, _ body: ([UInt8]) -> Void) async throws {
    var restarts = 0
    while true {
      do {
        for try await frame in listening.place.seat.frames { body(frame) }
        return
      } catch let failure as ChildFailure {
        try Task.checkCancellation()
        restarts += 1
        guard restarts <= AACBroadcasts.mostRestarts else { throw failure }
        leave(listening.place, key)
        listening.place = try join(key)
      }
    }
  }

  private func join(_ key: Key) throws(RTMPCallError) -> Place {
    try running.withLock { running throws(RTMPCallError) in
      if let broadcast = running[key], let seat = broadcast.join() {
        return Place(broadcast: broadcast, seat: seat)
      }
      try transcoders.enter()
      let broadcast = AACBroadcast()
      guard let seat = broadcast.join() else {
        transcoders.leave()
        throw RTMPCallError(.generalException, "the AAC encoder has ended")
      }
      running[key] = broadcast
      let (program, transcoders) = (transcoders.program, transcoders)
      broadcast.start { packets, onReady, body in
        // Also if it failed: the next player starts another one.
        defer { transcoders.leave() }
        try await AACEncoder(program: program).run(packets, onReady: onReady, body)
      }
      return Place(broadcast: broadcast, seat: seat)
    }
  }

  private func leave(_ place: Place, _ key: Key) {
    running.withLock { running in
      guard place.broadcast.leave(place.seat.number), running[key] === place.broadcast else { return }
      running[key] = nil
    }
  }
}
