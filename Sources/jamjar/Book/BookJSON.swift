import Music
import Server
import Signaling

/// Songs, sessions, people and edited takes as JSON, in the style of docs/rest.md.
enum BookJSON {
  static func take(_ take: Take) -> JSONValue {
    var object = Representation.take(take)
    let said = take.annotations
    object["title"] = .optional(said.title)
    object["rating"] = said.rating.map { .integer(Int64($0)) } ?? .null
    object["favourite"] = .bool(said.isFavourite)
    object["notes"] = .optional(said.notes)
    object["tags"] = .array(said.tags.map { .string($0) })
    object["deletedAt"] = .optional(take.deletedAt?.description)
    object["revision"] = .integer(Int64(take.revision))
    return .object(object)
  }

  static func song(_ song: Song) -> JSONValue {
    [
      "id": .string(song.id.description), "title": .string(song.title),
      "composers": .array(song.composers.map { .string($0) }), "key": .optional(song.key),
      "tempo": song.tempo.map { tempo in .array(tempo.changes.map(change)) } ?? .null,
      "notes": .optional(song.notes), "revision": .integer(Int64(song.revision)),
    ]
  }

  static func session(_ session: Session) -> JSONValue {
    [
      "id": .string(session.id.description), "room": .string(session.room.description),
      "startedAt": .string(session.startedAt.description), "endedAt": .optional(session.endedAt?.description),
    ]
  }

  static func person(_ person: Person) -> JSONValue {
    [
      "id": .string(person.id.description), "name": .string(person.name.description),
      "names": .array(person.names.map { .string($0.description) }),
      "merged": .array(person.merged.map { .string($0.description) }), "revision": .integer(Int64(person.revision)),
    ]
  }

  static func list<Item>(_ page: Page<Item>, _ json: (Item) -> JSONValue) -> JSONValue {
    Representation.list(page.items.map(json), next: page.next)
  }

  private static func change(_ change: TempoMap.Change) -> JSONValue {
    [
      "position": .measure(change.position.seconds), "beatsPerMinute": .measure(change.beatsPerMinute),
      "beatsPerBar": .integer(Int64(change.beatsPerBar)), "beatUnit": .integer(Int64(change.beatUnit)),
    ]
  }
}
