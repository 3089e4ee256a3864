import Music
import Rooms
import Signaling

extension Representation {
  /// An event as its JSON tells it: `type`, `time`, `room`, and what belongs to its kind (docs/events.md).
  static func event(_ event: ServiceEvent) -> JSONObject {
    var object: JSONObject = [
      "type": .string(event.kind.rawValue), "time": .string(event.time.description),
      "room": .optional(event.room?.description),
    ]
    for member in content(of: event).members { object[member.name] = member.value }
    return object
  }

  private static func content(of event: ServiceEvent) -> JSONObject {
    switch event.content {
    case .member(let member, let session):
      ["member": Representation.member(member), "session": .optional(session?.description)]
    case .left(let participant, let session):
      ["participant": Representation.participant(participant), "session": .optional(session?.description)]
    case .session(let session):
      [
        "session": [
          "id": .string(session.id.description), "room": .string(session.room.description),
          "startedAt": .string(session.startedAt.description), "endedAt": .optional(session.endedAt?.description),
        ]
      ]
    case .take(let take): ["take": .object(Representation.take(take))]
    case .takeID(let id): ["take": ["id": .string(id.description)]]
    case .split(let former, let next):
      ["from": .string(former.description), "take": .object(Representation.take(next))]
    case .refined(let take, let refinement):
      ["take": .object(Representation.take(take)), "refinement": Representation.refinement(refinement)]
    case .cue(let take, let cue):
      ["take": ["id": .string(take.description)], "cue": Representation.cue(cue)]
    case .warning(let code, let text, let take):
      [
        "code": .string(code.rawValue), "text": .string(text),
        "take": take.map { ["id": .string($0.description)] } ?? .null,
      ]
    case .members(let members): members
    }
  }
}
