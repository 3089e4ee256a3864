import Music

/// The content of custonNotification, for sessions that subscribed.
enum KurentoRecorderEvent {
  static func started(_ take: RoomSnapshot.RollingTake) -> JSONObject {
    var members: JSONObject = ["recorder": "take.started"]
    for member in description(of: take).members { members[member.name] = member.value }
    return members
  }

  static func stopped(_ take: TakeID) -> JSONObject {
    ["recorder": "take.stopped", "take": .string(take.description)]
  }

  static func finished(_ take: TakeID, _ state: TakeState) -> JSONObject {
    ["recorder": "take.finished", "take": .string(take.description), "state": .string(state.rawValue)]
  }

  static func cue(_ take: TakeID, _ cue: Cue) -> JSONObject {
    [
      "recorder": "cue", "take": .string(take.description), "text": .string(cue.text),
      "position": .measure(cue.position.seconds),
    ]
  }

  /// "take", "number", and "song" if it has one.
  static func description(of take: RoomSnapshot.RollingTake) -> JSONObject {
    var members: JSONObject = ["take": .string(take.id.description), "number": .integer(Int64(take.number))]
    if let song = take.song { members["song"] = .string(song.title) }
    return members
  }

  /// The answer to "status".
  static func status(_ take: RoomSnapshot.RollingTake?) -> JSONObject {
    var members: JSONObject = ["recording": .bool(take != nil)]
    for member in take.map(description(of:))?.members ?? [] { members[member.name] = member.value }
    return members
  }
}
