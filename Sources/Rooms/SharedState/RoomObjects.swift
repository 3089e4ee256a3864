import Music
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
