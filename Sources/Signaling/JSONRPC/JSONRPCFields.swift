/// Reads the members of one object of a message; errors name the member and the expected value.
struct JSONRPCFields {
  /// A dialect's error codes for wrong parameters.
  struct Codes: Hashable, Sendable {
    var missing = JSONRPCError.invalidParameters
    var illTyped = JSONRPCError.invalidParameters
  }

  let object: JSONObject
  /// The name of the object for errors: "the parameters of joinRoom".
  let place: String
  let codes: Codes

  init(_ object: JSONObject, of place: String, codes: Codes = Codes()) {
    self.object = object
    self.place = place
    self.codes = codes
  }

  /// The member's value; null counts as absent.
  func value(_ name: String) -> JSONValue? {
    let value = object[name]
    return value == .null ? nil : value
  }

  func error(_ name: String, mustBe expected: String) -> JSONRPCError {
    let value = value(name)
    let found = value.map { "is \($0.kind)" } ?? "is missing"
    return JSONRPCError(
      code: value == nil ? codes.missing : codes.illTyped,
      "\"\(name)\" in \(place) \(found); it must be \(expected)")
  }

  private func optional<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(JSONRPCError) -> Value? {
    guard let value = value(name) else { return nil }
    guard let result = read(value) else { throw error(name, mustBe: expected) }
    return result
  }

  private func required<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(JSONRPCError) -> Value {
    guard let result = value(name).flatMap(read) else { throw error(name, mustBe: expected) }
    return result
  }

  func string(_ name: String) throws(JSONRPCError) -> String { try required(name, "a string") { $0.string } }
  func optionalString(_ name: String) throws(JSONRPCError) -> String? { try optional(name, "a string") { $0.string } }
  func optionalDouble(_ name: String) throws(JSONRPCError) -> Double? { try optional(name, "a number") { $0.double } }
  func array(_ name: String) throws(JSONRPCError) -> [JSONValue] { try required(name, "an array") { $0.array } }
  func integer(_ name: String) throws(JSONRPCError) -> Int64 { try required(name, "a whole number") { $0.integer } }

  /// A truth value, also as 0 or 1 or as a word: iOS and Android apps can put only strings into some requests.
  func optionalFlag(_ name: String) throws(JSONRPCError) -> Bool? {
    try optional(name, "true or false") { value in
      switch value {
      case .bool(let bool): bool
      case .integer(0), .string("false"): false
      case .integer(1), .string("true"): true
      default: nil
      }
    }
  }

  /// Most media sections of a description.
  private static let lastLineIndex: Int64 = 255

  /// The index of a media section, also as a decimal string (Android).
  func optionalLineIndex(_ name: String) throws(JSONRPCError) -> Int? {
    try optional(name, "a whole number from 0 to \(JSONRPCFields.lastLineIndex)") { value in
      guard let index = value.integer ?? value.string.flatMap(Int64.init) else { return nil }
      return (0...JSONRPCFields.lastLineIndex).contains(index) ? Int(exactly: index) : nil
    }
  }
}

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
