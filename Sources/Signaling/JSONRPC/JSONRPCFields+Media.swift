extension JSONRPCFields {
  /// Longest accepted session description, in bytes.
  static let maximumDescriptionBytes = 65_536
  /// Longest accepted candidate line, in bytes; real ones have about 150.
  static let maximumCandidateBytes = 1_024

  /// The offer in the member `name`; `tooLong` is the dialect's code for an unusable one.
  func description(_ name: String, tooLong code: Int64) throws(JSONRPCError) -> String {
    let sdp = try string(name)
    guard sdp.utf8.count <= JSONRPCFields.maximumDescriptionBytes else {
      throw JSONRPCError(
        code: code,
        "\"\(name)\" in \(place) has \(sdp.utf8.count) bytes; it must have "
          + "\(JSONRPCFields.maximumDescriptionBytes) at most")
    }
    return sdp
  }

  /// The members "candidate", "sdpMid" and "sdpMLineIndex"; an empty candidate is the end of candidates, an empty
  /// "sdpMid" (iOS) counts as absent.
  func candidate(tooLong code: Int64) throws(JSONRPCError) -> CandidateMessage {
    let candidate = try string("candidate")
    guard candidate.utf8.count <= JSONRPCFields.maximumCandidateBytes else {
      throw JSONRPCError(
        code: code,
        "\"candidate\" in \(place) has \(candidate.utf8.count) bytes; it must have "
          + "\(JSONRPCFields.maximumCandidateBytes) at most")
    }
    let mid = try optionalString("sdpMid")
    return CandidateMessage(
      candidate: candidate, mid: mid == "" ? nil : mid, mLineIndex: try optionalLineIndex("sdpMLineIndex"))
  }
}

extension CandidateMessage {
  /// The three members used by both dialects; "sdpMid" and "sdpMLineIndex" only if known.
  var rpcMembers: JSONObject {
    var members: JSONObject = ["candidate": .string(candidate)]
    if let mid { members["sdpMid"] = .string(mid) }
    if let mLineIndex { members["sdpMLineIndex"] = .integer(Int64(mLineIndex)) }
    return members
  }
}
