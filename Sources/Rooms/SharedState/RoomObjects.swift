import Machines
import Music
import Realtime
import Signaling

/// The room's own state in the slots of `roster` and `take`.
enum RoomObjects {
  /// A member: their identifier and public properties.
  static func slot(of member: RoomSnapshot.Member) -> SharedObjectEvent.Slot {
    .init(
      member.participant.id.description,
      .object([
        "name": .string(member.participant.name.description),
        "role": .string(member.role.rawValue),
        "part": member.part.map(SharedValue.string) ?? .null,
        "publishing": .bool(member.isPublishing),
        "connected": .bool(member.isConnected),
        "muted": .bool(member.isMuted),
      ]))
  }

  /// The take being recorded; without one, there are no slots.
  static func slots(of take: RoomSnapshot.RollingTake?) -> [SharedObjectEvent.Slot] {
    guard let take else { return [] }
    var slots: [SharedObjectEvent.Slot] = [
      .init("id", .string(take.id.description)),
      .init("number", .number(Double(take.number))),
      .init("startedAt", .date(Double(take.startedAt.milliseconds))),
    ]
    if let song = take.song { slots.append(.init("song", .string(song.title))) }
    return slots
  }
}

/// The peak level of each musician in the last interval, as measured by their own client (RFC 6464).
struct LevelWindow {
  /// Minimum interval between level updates.
  static let interval = MonotonicTime.Span.milliseconds(100)
  /// Level assumed for a sender without measurements, in dB below full scale.
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

  /// Returns the levels since the last call, in dB below full scale; nil if it is too early.
  mutating func take(at now: MonotonicTime) -> [ParticipantID: UInt8]? {
    guard now >= due else { return nil }
    // From the due time, so that a tick of 50 ms does not stretch the interval to 150.
    due = max(due + LevelWindow.interval, now)
    defer { loudest = [:] }
    return loudest
  }
}
