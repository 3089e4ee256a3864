import Machines
import Music
import Realtime
import Signaling

/// How the room's own state looks in the slots of `roster` and `take`.
enum RoomObjects {
  /// A member: their identifier, and what the others may know of them.
  static func slot(of member: RoomSnapshot.Member) -> SharedObjectEvent.Slot {
    .init(
      member.participant.id.description,
      .object([
        "name": .string(member.participant.name.description),
        "role": .string(member.role.rawValue),
        "part": member.part.map(SharedValue.string) ?? .null,
        "publishing": .bool(member.isPublishing),
        "connected": .bool(member.isConnected),
      ]))
  }

  /// The take that is being recorded; no slots while none is.
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
