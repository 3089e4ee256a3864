import Music
import Rooms
import Signaling

/// The JSON of domain objects in responses and in the output of `jamjar … --json`; docs/rest.md promises the shapes.
package enum Representation {
  package static func list(_ items: [JSONValue], next: String?) -> JSONValue {
    ["items": .array(items), "next": .optional(next)]
  }

  package static func take(_ take: Take) -> JSONObject {
    [
      "id": .string(take.id.description),
      "number": .integer(Int64(take.number)),
      "state": .string(take.state.rawValue),
      "room": .string(take.room.description),
      "song": song(take.song),
      "startedAt": .string(take.startedAt.description),
      "endedAt": .optional(take.endedAt?.description),
      "duration": seconds(take.length),
      "trackCount": .integer(Int64(take.trackCount)),
      "session": .string(take.session.description),
      "title": .optional(take.annotations.title),
      "rating": take.annotations.rating.map { .integer(Int64($0)) } ?? .null,
      "favourite": .bool(take.annotations.isFavourite),
      "notes": .optional(take.annotations.notes),
      "tags": .array(take.annotations.tags.map(JSONValue.string)),
      "loudness": measure(take.loudness),
      "deletedAt": .optional(take.deletedAt?.description),
      "revision": .integer(Int64(take.revision)),
    ]
  }

  /// One take with its cues, its refinement and its copies, for the resource of the take itself.
  package static func take(
    _ take: Take, cues: [Cue], refinement: Refinement?, objects: ObjectsReport?
  ) -> JSONObject {
    var object = Representation.take(take)
    for member in further(cues, refinement, objects).members { object[member.name] = member.value }
    return object
  }

  /// The members that one take has beyond an item of the list, in order.
  static func further(_ cues: [Cue], _ refinement: Refinement?, _ objects: ObjectsReport?) -> JSONObject {
    [
      "cues": .array(cues.map(cue)), "refinement": refinement.map(Representation.refinement) ?? .null,
      "objects": objects?.json ?? .null,
    ]
  }

  static func refinement(_ refinement: Refinement) -> JSONValue {
    [
      "packets": .integer(Int64(refinement.packets)), "droppedPackets": .integer(Int64(refinement.droppedPackets)),
      "greatestMove": .measure(refinement.greatestMove),
    ]
  }

  package static func song(_ song: Song?) -> JSONValue {
    song.map { ["id": .string($0.id.description), "title": .string($0.title)] } ?? .null
  }

  package static func cue(_ cue: Cue) -> JSONValue {
    [
      "id": .string(cue.id.description), "position": .measure(cue.position.seconds), "text": .string(cue.text),
      "author": .optional(cue.author?.description), "comment": cue.comment.map(comment) ?? .null,
    ]
  }

  package static func track(_ track: Track) -> JSONValue {
    [
      "id": .string(track.id.description),
      "number": .integer(Int64(track.number)),
      "participant": participant(track.participant),
      "part": .optional(track.part),
      "meta": .optional(track.meta),
      "channels": .integer(Int64(track.channels)),
      "duration": seconds(track.length),
      "gaps": .array(track.gaps.map(gap)),
      "peak": measure(track.peak),
      "loudness": measure(track.loudness),
      "alignment": track.alignment.map(alignment) ?? .null,
    ]
  }

  static func room(_ snapshot: RoomSnapshot) -> JSONValue {
    [
      "name": .string(snapshot.room.description),
      "live": true, "state": .string(snapshot.activity.rawValue),
      "startedAt": .optional(snapshot.startedAt?.description),
      "policy": [
        "recording": .string(snapshot.policy.recording.rawValue),
        "topology": .string(snapshot.policy.topology.rawValue),
        "capacity": .integer(Int64(snapshot.policy.capacity)),
        "gracePeriod": .measure(snapshot.policy.gracePeriod),
      ],
      "session": .optional(snapshot.session?.description),
      "members": .array(snapshot.members.map(member)),
      "take": snapshot.take.map(rolling) ?? .null, "stopped": .bool(snapshot.isStopped),
      "pairs": .array(snapshot.pairs.map(pair)),
    ]
  }

  /// An empty room, known from its takes.
  static func room(_ name: RoomName) -> JSONValue {
    [
      "name": .string(name.description), "live": false, "state": .string(RoomActivity.empty.rawValue),
      "startedAt": .null,
      "policy": .null, "session": .null, "members": [], "take": .null, "stopped": false, "pairs": [],
    ]
  }

  private static func pair(_ pair: MeshPair) -> JSONValue {
    [
      "number": .integer(Int64(pair.number)), "offers": .string(pair.offers.description),
      "answers": .string(pair.answers.description), "state": .string(pair.state.rawValue),
      "route": .string(pair.route.rawValue), "attempt": .integer(Int64(pair.attempt)),
    ]
  }

  static func rolling(_ take: RoomSnapshot.RollingTake) -> JSONValue {
    [
      "id": .string(take.id.description), "number": .integer(Int64(take.number)), "song": song(take.song),
      "startedAt": .string(take.startedAt.description),
    ]
  }

  static func participant(_ participant: Participant) -> JSONValue {
    ["id": .string(participant.id.description), "name": .string(participant.name.description)]
  }

  static func member(_ member: RoomSnapshot.Member) -> JSONValue {
    [
      "participant": participant(member.participant), "role": .string(member.role.rawValue),
      "part": .optional(member.part), "meta": .optional(member.meta), "publishing": .bool(member.isPublishing),
      "connected": .bool(member.isConnected), "consent": .bool(member.consents), "muted": .bool(member.isMuted),
      "sound": .string(member.sound.rawValue), "state": .optional(member.state?.rawValue),
      "quality": member.quality.map { .object($0.json) } ?? .null,
    ]
  }

  private static func gap(_ gap: Gap) -> JSONValue {
    [
      "start": .measure(gap.start.seconds), "duration": .measure(gap.length.seconds),
      "cause": .string(gap.cause.rawValue), "concealed": .bool(gap.isConcealed),
    ]
  }

  private static func alignment(_ report: AlignmentReport) -> JSONValue {
    [
      "drift": .measure(report.drift), "offset": .measure(report.offset), "errorBound": measure(report.errorBound),
      "unknownBecause": .optional(report.unknownBecause), "errorBounds": .array(report.stretches.map(stretch)),
      "basis": .string(report.basis), "expectedPackets": .integer(Int64(report.expectedPackets)),
      "recoveredPackets": .integer(Int64(report.recoveredPackets)), "lostPackets": .integer(Int64(report.lostPackets)),
      "concealedSamples": .integer(report.concealedSamples),
      "unseenDrops": report.unseenDrops.map { .array($0.map(span)) } ?? .null,
      "talks": report.talks.map { .array($0.map(span)) } ?? .null,
    ]
  }

  private static func stretch(_ stretch: BoundedStretch) -> JSONValue {
    [
      "start": .measure(stretch.start.seconds), "end": .measure(stretch.end.seconds),
      "errorBound": measure(stretch.errorBound), "unknownBecause": .optional(stretch.unknownBecause),
      "basis": .string(stretch.basis),
    ]
  }

  private static func span(_ span: SampleSpan) -> JSONValue {
    ["start": .measure(span.start.seconds), "end": .measure(span.end.seconds)]
  }

  private static func seconds(_ length: SamplePosition?) -> JSONValue {
    length.map { .measure($0.seconds) } ?? .null
  }

  private static func measure(_ value: Double?) -> JSONValue {
    value.map(JSONValue.measure) ?? .null
  }
}

extension Representation {
  /// A song with all its fields, as in `/v1/songs`.
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
