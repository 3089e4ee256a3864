import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// Plays the mix of a session's room, as AAC, to what a broadcast sends it to.
final class OpenTokBroadcaster: Sendable {
  /// Where the next frame lies.
  private struct Line {
    var start: MonotonicTime?
    var next: Int64 = 0
    /// Sound is missing since the last frame.
    var isBroken = false
  }

  /// Between two looks whether somebody is in the room again.
  private static let pause = Duration.milliseconds(250)

  let pushes: [RTMPPush]
  let shelf: HLSShelf?
  private let broker: Broker
  private let encoders: AACBroadcasts
  private let room: RoomName
  private let logger: Logger
  private let line = Mutex(Line())

  init(
    _ room: RoomName, to pushes: [RTMPPush], _ shelf: HLSShelf?, broker: Broker, encoders: AACBroadcasts,
    logger: Logger
  ) {
    (self.room, self.pushes, self.shelf) = (room, pushes, shelf)
    (self.broker, self.encoders, self.logger) = (broker, encoders, logger)
  }

  /// Plays until it is cancelled; while nobody is in the room it waits.
  /// - Parameter chosen: the musicians who are heard; nil for everybody.
  /// - Returns: false if there can be no sound.
  func play(only chosen: Set<ParticipantID>?) async -> Bool {
    while !Task.isCancelled {
      if let outlet = try? await broker.openOutlet(of: room, chosen.map { .only($0) } ?? .everybody) {
        let mayGoOn = await play(outlet, chosen)
        await outlet.close()
        guard mayGoOn else { return false }
      }
      try? await Task.sleep(for: OpenTokBroadcaster.pause)
    }
    return true
  }

  private func play(_ outlet: MixOutlet, _ chosen: Set<ParticipantID>?) async -> Bool {
    line.withLock { $0.isBroken = $0.start != nil }
    do {
      try await encoders.play(.init(room: room, source: .mix, only: chosen), outlet.packets) { self.spread($0) }
      return true
    } catch {
      guard !Task.isCancelled else { return true }
      logger.warning("a broadcast has no encoder", metadata: ["room": "\(room)", "error": "\(error)"])
      return false
    }
  }

  private func spread(_ aac: [UInt8]) {
    let now = MonotonicClock.now
    let frame = line.withLock { line in
      let start = line.start ?? now
      line.start = start
      if line.isBroken { line.next = max(line.next, Int64(saturating: (now - start).seconds * 48_000)) }
      defer {
        line.isBroken = false
        line.next &+= AACEncoder.frameLength
      }
      return TimedFrame(aac, at: line.next, followsBreak: line.isBroken)
    }
    for push in pushes { push.offer(frame) }
    shelf?.offer(frame)
  }

  /// Ends what it sends to.
  func finish() {
    for push in pushes { push.finish() }
    shelf?.finish()
  }
}
