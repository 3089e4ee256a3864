import Music

extension QualityReading {
  /// The members of a reading with its verdict, as in events, REST and the rows of `quality.json`.
  package var json: JSONObject {
    let verdict = QualityVerdict(self)
    var object: JSONObject = [
      "level": .integer(Int64(verdict.level.rawValue)), "cause": .optional(verdict.cause?.rawValue),
      "duration": .measure(duration), "roundTrip": roundTrip.map { .measure($0) } ?? .null,
      "jitter": jitter.map { .measure($0) } ?? .null, "expected": .integer(Int64(expected)),
      "missed": .integer(Int64(missed)), "lost": .integer(Int64(lost)),
      "loss": loss.map { .measure($0) } ?? .null, "concealed": .integer(Int64(concealed)),
      "dbfs": dbfs.map { .measure($0) } ?? .null,
    ]
    if let heard { object["heard"] = .object(heard.json) }
    return object
  }

  /// Reads what a service has written; level and loss follow from the rest.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    let counts = 0...Int(Int32.max)
    self.init(
      duration: try fields.double("duration"), roundTrip: try fields.optionalDouble("roundTrip"),
      jitter: try fields.optionalDouble("jitter"), expected: try fields.integer("expected", in: counts),
      missed: try fields.integer("missed", in: counts), lost: try fields.integer("lost", in: counts),
      concealed: try fields.integer("concealed", in: counts), dbfs: try fields.optionalDouble("dbfs"))
    if let heard = try fields.optionalObject("heard") { self.heard = try HeardQuality(heard) }
  }
}

extension HeardQuality {
  var json: JSONObject {
    var object: JSONObject = [:]
    if let roundTrip { object["roundTrip"] = .measure(roundTrip) }
    if let jitter { object["jitter"] = .measure(jitter) }
    if let received { object["received"] = .integer(Int64(received)) }
    if let lost { object["lost"] = .integer(Int64(lost)) }
    if let concealed { object["concealed"] = .integer(Int64(concealed)) }
    if let dbfs { object["dbfs"] = .measure(dbfs) }
    return object
  }

  /// Reads what a client says.
  /// - Throws: `RoomRefusal` `.malformed` for anything that is no measurement.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(
      roundTrip: try fields.optionalDouble("roundTrip"), jitter: try fields.optionalDouble("jitter"),
      received: try fields.optionalInteger("received", in: HeardQuality.counts),
      lost: try fields.optionalInteger("lost", in: HeardQuality.counts),
      concealed: try fields.optionalInteger("concealed", in: HeardQuality.counts),
      dbfs: try fields.optionalDouble("dbfs"))
    do throws(ValueProblem) {
      try check()
    } catch {
      throw RoomRefusal(.malformed, "\(error)")
    }
  }
}
