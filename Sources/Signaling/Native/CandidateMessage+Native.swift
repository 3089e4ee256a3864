extension CandidateMessage {
  /// Longest candidate line, in bytes; real ones have about 150.
  private static let maximumLength = 1_024

  /// The format of a browser's `RTCIceCandidateInit`; null is the end of candidates.
  var json: JSONValue {
    guard !candidate.isEmpty else { return .null }
    var object: JSONObject = ["candidate": .string(candidate), "sdpMid": .optional(mid)]
    if let mLineIndex { object["sdpMLineIndex"] = .integer(Int64(mLineIndex)) }
    return .object(object)
  }

  /// Reads the member "candidate".
  init(memberOf fields: NativeFields) throws(RoomRefusal) {
    guard fields.has("candidate") else {
      throw RoomRefusal(.malformed, "\"candidate\" is missing; it must be an object, or null at the end of candidates")
    }
    guard let fields = try fields.optionalObject("candidate") else {
      self = .end
      return
    }
    let candidate = try fields.string("candidate")
    guard candidate.utf8.count <= CandidateMessage.maximumLength else {
      throw RoomRefusal(
        .invalidCandidate,
        "the candidate has \(candidate.utf8.count) bytes; it must have \(CandidateMessage.maximumLength) at most")
    }
    self.init(
      candidate: candidate, mid: try fields.optionalString("sdpMid"),
      mLineIndex: try fields.optionalInteger("sdpMLineIndex", in: 0...255))
  }
}
