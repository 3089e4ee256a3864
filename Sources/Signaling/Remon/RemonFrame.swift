import Music

/// One text on a socket of Remote Monster: an envelope of strings. Codes are strings too, and a body that is an object is
/// JSON inside a string.
package struct RemonFrame: Hashable, Sendable {
  package var command: String
  package var token: String?
  package var serviceID: String?
  package var channel: RemonChannel?
  package var body: String?
  package var code: String?
  /// The conference of a `create`.
  package var roomID: String?

  package init(_ command: String, channel: RemonChannel? = nil, body: String? = nil, code: String? = nil) {
    self.command = command
    self.channel = channel
    self.body = body
    self.code = code
  }

  /// Reads a client's text.
  /// - Throws: `RemonFault` that names the field, what it is, and what it must be.
  package init(parsing text: String, limits: JSONLimits) throws(RemonFault) {
    let object = try RemonFrame.object(text, "the frame", limits: limits)
    guard let command = try RemonFrame.string("command", in: object), !command.isEmpty else {
      throw RemonFault(.general, "the frame has no \"command\"; it must be a string, such as \"connect\"")
    }
    self.command = command
    token = try RemonFrame.string("token", in: object)
    serviceID = try RemonFrame.string("serviceId", in: object)
    body = try RemonFrame.string("body", in: object)
    code = try RemonFrame.string("code", in: object)
    roomID = try RemonFrame.string("roomId", in: object)
    if let value = object["channel"], value != .null {
      guard let members = value.object else {
        throw RemonFault(.general, "\"channel\" is \(value.kind); it must be an object with \"id\" and \"type\"")
      }
      channel = try RemonChannel(members)
    }
  }

  /// The frame as the text of a socket.
  package var text: String {
    var object: JSONObject = ["command": .string(command)]
    if let token { object["token"] = .string(token) }
    if let serviceID { object["serviceId"] = .string(serviceID) }
    if let channel { object["channel"] = .object(channel.object) }
    if let body { object["body"] = .string(body) }
    if let code { object["code"] = .string(code) }
    return JSONValue.object(object).text
  }

  /// The object inside the string that is the body.
  /// - Throws: `RemonFault`.
  func bodyObject(limits: JSONLimits) throws(RemonFault) -> JSONObject {
    guard let body else {
      throw RemonFault(.general, "\"\(command)\" has no \"body\"; it must be a string with JSON in it")
    }
    return try RemonFrame.object(body, "the body of \"\(command)\"", limits: limits)
  }

  /// A string of an envelope; nil if there is none.
  static func string(_ name: String, in object: JSONObject) throws(RemonFault) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.string else {
      throw RemonFault(
        .general, "\"\(name)\" is \(value.kind); every value of a frame is a string, codes and bodies too")
    }
    return text
  }

  private static func object(_ text: String, _ what: String, limits: JSONLimits) throws(RemonFault) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw RemonFault(.general, "\(what) is not acceptable JSON: \(error.description)")
    }
    guard let object = value.object else {
      throw RemonFault(.general, "\(what) is \(value.kind); it must be a JSON object")
    }
    return object
  }
}

/// What is wrong, as a client of Remote Monster gets it: a code, and a sentence in the body.
package struct RemonFault: Error, Hashable, Sendable {
  /// The codes that the server sends; the others are the client's own.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case general = "500"
    case unknownToken = "502"
    case noMediaServer = "530"
    /// Two are in the call already.
    case busy = "2010"
  }

  package var code: Code
  package var sentence: String

  package init(_ code: Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// - Parameter isCall: a full room is a busy call.
  package init(_ refusal: RoomRefusal, isCall: Bool = false) {
    sentence = refusal.description
    code =
      switch refusal.code {
      case .roomFull: isCall ? .busy : .general
      case .unauthorized, .forbidden: .unknownToken
      case .unavailable, .storage: .noMediaServer
      default: .general
      }
  }
}

/// Each text is one message; a close is announced by an `onError`.
package struct RemonFraming: LinkFraming {
  package init() {}

  package func closing(code: UInt16, reason: String) -> String? {
    // 1000 and 1001 end what was meant to end.
    code > 1_001 ? RemonFrame("onError", body: reason, code: RemonFault.Code.general.rawValue).text : nil
  }
}
