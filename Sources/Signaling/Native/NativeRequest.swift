/// One parsed message of a client.
struct NativeRequest {
  let id: NativeRequestID
  let method: NativeMethod
  let parameters: NativeFields

  /// Reads `{"id":n,"method":"…","params":{…}}`; unknown members are ignored, so that newer clients can talk to older
  /// servers.
  init(_ text: String, limits: JSONLimits) throws(NativeFault) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw NativeFault(id: nil, refusal: RoomRefusal(error))
    }
    guard let object = value.object else {
      throw NativeFault(
        id: nil,
        refusal: RoomRefusal(
          .malformed, "a message must be an object {\"id\":1,\"method\":\"…\",\"params\":{…}}, not \(value.kind)"))
    }
    guard let id = object["id"]?.integer.flatMap(NativeRequestID.init) else {
      throw NativeFault(
        id: nil,
        refusal: RoomRefusal(
          .malformed, "\"id\" of a request must be a whole number from 0 to \(NativeRequestID.range.upperBound)"))
    }
    guard let name = object["method"]?.string else {
      throw NativeFault(id: id, refusal: RoomRefusal(.malformed, "\"method\" of a request must be a string"))
    }
    guard let method = NativeMethod(rawValue: name) else {
      let known = NativeMethod.allCases.map(\.rawValue).joined(separator: ", ")
      throw NativeFault(
        id: id,
        refusal: RoomRefusal(.unknownMethod, "there is no method \"\(name.prefix(64))\"; there are \(known)"))
    }
    let parameters = object["params"] ?? .null
    guard let parameters = parameters == .null ? JSONObject() : parameters.object else {
      throw NativeFault(
        id: id, refusal: RoomRefusal(.malformed, "\"params\" of \(name) is \(parameters.kind); it must be an object"))
    }
    self.id = id
    self.method = method
    self.parameters = NativeFields(parameters, of: "the parameters of \(name)")
  }
}

/// The number of a request, repeated in its response: 0 to 2^53 - 1, the exact integers of a browser.
package struct NativeRequestID: Hashable, Sendable, CustomStringConvertible {
  package let number: Int64

  static let range: ClosedRange<Int64> = 0...9_007_199_254_740_991

  package init?(_ number: Int64) {
    guard NativeRequestID.range.contains(number) else { return nil }
    self.number = number
  }

  /// An identifier counted up by our own client.
  init(counting number: Int64) {
    self.number = number & NativeRequestID.range.upperBound
  }

  package var description: String { String(number) }
}

/// The requests of a native link, by their names on the wire.
package enum NativeMethod: String, Hashable, Sendable, CaseIterable {
  case join, snapshot, publish, subscribe, answer, candidate, restart, close, leave
  case redirect, takeStart, takeStop, takeSplit, cue, message, stats, ping
  case objectUse, objectChange, objectRelease, kick, mute, sound, call
  case topology, meshEnter, meshRelay, meshReport
}

/// The reason why a text is not a request, with the request's identifier if it is readable.
struct NativeFault: Error, Hashable, Sendable {
  var id: NativeRequestID?
  var refusal: RoomRefusal
}
