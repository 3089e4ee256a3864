import Music

extension ClientReport {
  /// Most playout delays per report; no room has as many musicians.
  private static let maximumDelays = 64

  var json: JSONObject {
    var object: JSONObject = [:]
    if clientTime != nil || roundTrip != nil {
      var clock: JSONObject = [:]
      if let clientTime { clock["t"] = NativeTime.milliseconds(clientTime) }
      if let roundTrip { clock["roundTrip"] = NativeTime.milliseconds(roundTrip) }
      object["clock"] = .object(clock)
    }
    if !playoutDelays.isEmpty {
      let delays = playoutDelays.sorted { $0.key < $1.key }
      object["playout"] = .object(JSONObject(delays.map { ($0.key.description, NativeTime.milliseconds($0.value)) }))
    }
    return object
  }

  /// Reads the parameters of stats.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init()
    if let clock = try fields.optionalObject("clock") {
      clientTime = try NativeTime.nanoseconds("t", clock)
      roundTrip = try NativeTime.nanoseconds("roundTrip", clock)
    }
    guard let playout = try fields.optionalObject("playout") else { return }
    let delays = try playout.numbers()
    guard delays.count <= ClientReport.maximumDelays else {
      throw RoomRefusal(
        .tooMany, "stats has \(delays.count) playout delays; there may be \(ClientReport.maximumDelays)")
    }
    for delay in delays {
      guard let participant = ParticipantID(delay.name) else {
        throw RoomRefusal(.unknownParticipant, "\"\(delay.name.prefix(64))\" in \"playout\" is no participant")
      }
      playoutDelays[participant] = try NativeTime.nanoseconds(delay.number, of: delay.name)
    }
  }
}
