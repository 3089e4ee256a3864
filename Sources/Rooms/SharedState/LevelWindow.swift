import Machines
import Music
import Realtime

/// The loudest that each musician played in the last moment, as their own client measured it (RFC 6464).
struct LevelWindow {
  /// How often levels are told at most.
  static let interval = MonotonicTime.Span.milliseconds(100)
  /// dB below full scale of a sender who says nothing.
  static let silence: UInt8 = 127

  private var loudest: [ParticipantID: UInt8] = [:]
  private var due: MonotonicTime

  init(at now: MonotonicTime) {
    due = now + LevelWindow.interval
  }

  mutating func note(_ packet: ReceivedPacket, of participant: ParticipantID, extensionID: UInt8?) {
    guard let extensionID, let level = packet.packet.audioLevel(extensionID)?.belowFullScale else { return }
    loudest[participant] = min(level, loudest[participant] ?? LevelWindow.silence)
  }

  /// The levels since the last time, in dB below full scale; nil while it is too early to tell them.
  mutating func take(at now: MonotonicTime) -> [ParticipantID: UInt8]? {
    guard now >= due else { return nil }
    // From the time that was due, so that a tick of 50 ms does not make it 150.
    due = max(due + LevelWindow.interval, now)
    defer { loudest = [:] }
    return loudest
  }
}
