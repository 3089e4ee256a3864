import Music
import Signaling

extension Representation {
  /// A song with all that is known of it, as `/v1/songs` has it.
  package static func fullSong(_ song: Song) -> JSONValue {
    [
      "id": .string(song.id.description), "title": .string(song.title),
      "composers": .array(song.composers.map(JSONValue.string)), "key": .optional(song.key),
      "tempo": song.tempo.map { .array($0.changes.map(change)) } ?? .null, "notes": .optional(song.notes),
      "revision": .integer(Int64(song.revision)),
    ]
  }

  private static func change(_ change: TempoMap.Change) -> JSONValue {
    [
      "position": .measure(change.position.seconds), "beatsPerMinute": .measure(change.beatsPerMinute),
      "beatsPerBar": .integer(Int64(change.beatsPerBar)), "beatUnit": .integer(Int64(change.beatUnit)),
    ]
  }

  package static func session(_ session: Session) -> JSONValue {
    [
      "id": .string(session.id.description), "room": .string(session.room.description),
      "startedAt": .string(session.startedAt.description), "endedAt": .optional(session.endedAt?.description),
    ]
  }

  package static func person(_ person: Person) -> JSONValue {
    [
      "id": .string(person.id.description), "name": .string(person.name.description),
      "givenName": .optional(person.givenName?.description),
      "names": .array(person.names.map { .string($0.description) }),
      "merged": .array(person.merged.map { .string($0.description) }),
      "revision": .integer(Int64(person.revision)),
    ]
  }
}
