import Music
import Rooms
import Signaling

/// How things of the domain look in answers, and in what `jamjar … --json` prints; the shapes are promised in
/// docs/rest.md.
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

  /// One take with its cues and what a second look made of it, for the resource of the take itself.
  package static func take(_ take: Take, cues: [Cue], refinement: Refinement?) -> JSONObject {
    var object = Representation.take(take)
    object["cues"] = .array(cues.map(cue))
    object["refinement"] = refinement.map(Representation.refinement) ?? .null
    return object
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
      "author": .optional(cue.author?.description),
    ]
  }

  package static func track(_ track: Track) -> JSONValue {
    [
      "id": .string(track.id.description),
      "number": .integer(Int64(track.number)),
      "participant": participant(track.participant),
      "part": .optional(track.part),
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
      "live": true,
      "policy": [
        "recording": .string(snapshot.policy.recording.rawValue),
        "topology": .string(snapshot.policy.topology.rawValue),
        "capacity": .integer(Int64(snapshot.policy.capacity)),
        "gracePeriod": .measure(snapshot.policy.gracePeriod),
      ],
      "session": .optional(snapshot.session?.description),
      "members": .array(snapshot.members.map(member)),
      "take": snapshot.take.map(rolling) ?? .null,
    ]
  }

  /// A room in which nobody is, known from its takes.
  static func room(_ name: RoomName) -> JSONValue {
    [
      "name": .string(name.description), "live": false, "policy": .null, "session": .null, "members": [], "take": .null,
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
      "part": .optional(member.part), "publishing": .bool(member.isPublishing), "connected": .bool(member.isConnected),
      "consent": .bool(member.consents),
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
    ]
  }

  private static func stretch(_ stretch: BoundedStretch) -> JSONValue {
    [
      "start": .measure(stretch.start.seconds), "end": .measure(stretch.end.seconds),
      "errorBound": measure(stretch.errorBound), "unknownBecause": .optional(stretch.unknownBecause),
      "basis": .string(stretch.basis),
    ]
  }

  private static func seconds(_ length: SamplePosition?) -> JSONValue {
    length.map { .measure($0.seconds) } ?? .null
  }

  private static func measure(_ value: Double?) -> JSONValue {
    value.map(JSONValue.measure) ?? .null
  }
}
