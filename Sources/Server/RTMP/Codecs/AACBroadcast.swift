import Rooms
import Synchronization

/// One AAC encoder and those who listen to it.
///
/// Each listener has a tap of its own, because the room grants and ends taps one by one. The encoder hears one of them;
/// when its listener leaves, another one's continues.
final class AACBroadcast: Sendable {
  /// A listener's place.
  struct Seat: Sendable {
    var number: UInt64
    /// The frames from now on; ends with the encoder.
    var frames: AsyncThrowingStream<[UInt8], any Error>
  }

  /// Encodes the packets: calls the second argument when it can, and the third with each frame.
  typealias Encoding = @Sendable (AsyncStream<AudioTap.Packet>, () -> Void, ([UInt8]) -> Void) async throws -> Void

  private struct Listener {
    var frames: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// The newest packet of its tap.
    var newest: AudioTap.Packet?
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
    /// The listener whose tap is encoded.
    var leader: UInt64?
    /// The newest packets that were encoded, with the times of the encoder.
    var encoded: [AudioTap.Packet] = []
    /// From the leader's times to the encoder's; nil until known.
    var shift: Int64?
    /// False while the encoder starts: what comes before is left out, so that nobody hears it late.
    var isReady = false
    var isOver = false
    var task: Task<Void, Never>?
  }

  /// Packets that may wait for the encoder, and frames for a listener: some seconds.
  private static let backlog = 256
  /// Packets by which the taps of two listeners may differ at a change of the leader.
  private static let memory = 16
  /// Samples of a usual packet.
  private static let packetLength: Int64 = 960

  private let state = Mutex(State())
  private let packets: AsyncStream<AudioTap.Packet>
  private let input: AsyncStream<AudioTap.Packet>.Continuation

  init() {
    (packets, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(AACBroadcast.backlog))
  }

  /// Starts the encoder; it ends when the last listener leaves.
  func start(_ encoding: @escaping Encoding) {
    let task = Task { [packets] in
      do {
        try await encoding(packets) {
          self.state.withLock { $0.isReady = true }
        } _: { frame in
          let listeners = self.state.withLock { Array($0.listeners.values) }
          for listener in listeners { listener.frames.yield(frame) }
        }
        self.finish(nil)
      } catch {
        self.finish(error)
      }
    }
    let isOver = state.withLock { state in
      state.task = task
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  /// Nil if the encoder has ended.
  func join() -> Seat? {
    let (frames, continuation) = AsyncThrowingStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingNewest(AACBroadcast.backlog))
    return state.withLock { state in
      guard !state.isOver else { return nil }
      state.next += 1
      state.listeners[state.next] = Listener(frames: continuation)
      state.leader = state.leader ?? state.next
      return Seat(number: state.next, frames: frames)
    }
  }

  /// True if it was the last one: the encoder ends.
  func leave(_ number: UInt64) -> Bool {
    let (isLast, task) = state.withLock { state -> (Bool, Task<Void, Never>?) in
      state.listeners[number]?.frames.finish()
      state.listeners[number] = nil
      guard !state.listeners.isEmpty else {
        state.isOver = true
        return (true, state.task)
      }
      if state.leader == number { AACBroadcast.changeLeader(&state) }
      return (false, nil)
    }
    if isLast {
      input.finish()
      task?.cancel()
    }
    return isLast
  }

  /// Takes a packet of a listener's tap; all but the leader's only say where they are.
  func offer(_ packet: AudioTap.Packet, by number: UInt64) {
    state.withLock { state in
      state.listeners[number]?.newest = packet
      guard state.leader == number, state.isReady else { return }
      let end = state.encoded.last?.timestamp
      let shift = state.shift ?? end.map { $0 + AACBroadcast.packetLength - packet.timestamp } ?? 0
      state.shift = shift
      var moved = packet
      moved.timestamp += shift
      // It came by the former leader's tap.
      if let end, moved.timestamp <= end { return }
      state.encoded.append(moved)
      if state.encoded.count > AACBroadcast.memory { state.encoded.removeFirst() }
      // Under the lock, so that packets of two leaders stay in order.
      input.yield(moved)
    }
  }

  /// The listener who came next leads. Its tap counts from another origin, which the same packet in both tells.
  private static func changeLeader(_ state: inout State) {
    state.leader = state.listeners.keys.min()
    state.shift = nil
    guard let leader = state.leader, let newest = state.listeners[leader]?.newest else { return }
    state.shift = state.encoded.last { $0.opus == newest.opus }.map { $0.timestamp - newest.timestamp }
  }

  private func finish(_ error: (any Error)?) {
    let listeners = state.withLock { state in
      state.isOver = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.frames.finish(throwing: error) }
  }
}
