/// How messages stand in the messages of a WebSocket.
package enum LinkFraming: Hashable, Sendable {
  /// Each text is one message.
  case plain
  /// The frames of SockJS 0.3.3, for pages that connect by sockjs-client.
  case sockJS
  /// Each text is one message; a close is announced by an `onError`.
  case remon
  /// Frames of Rumor, in binary messages (docs/opentok-client.md).
  case rumor

  /// The first text of the service.
  package var opening: String? { self == .sockJS ? SockJSFrame.open : nil }

  /// The text beside each ping.
  package var heartbeat: String? { self == .sockJS ? SockJSFrame.heartbeat : nil }

  /// The last text of the service, before its close frame.
  package func closing(code: UInt16, reason: String) -> String? {
    switch self {
    case .plain, .rumor: nil
    case .sockJS: SockJSFrame.close(code: code, reason: reason)
    // 1000 and 1001 end what was meant to end.
    case .remon: code > 1_001 ? RemonFrame("onError", body: reason, code: RemonFault.Code.general.rawValue).text : nil
    }
  }

  /// A text of the service that holds `message`.
  package func text(of message: String) -> String {
    self == .sockJS ? SockJSFrame.messages([message]) : message
  }

  /// The binary message of the service that holds `message`; nil where texts are right.
  package func bytes(of message: String) -> [UInt8]? {
    // What the machine writes has no limit here: the mailbox bounds it.
    guard self == .rumor, let frame = RumorFrame(text: message, limits: .received) else { return nil }
    return frame.bytes
  }

  /// The messages in a text of the client; nil if it is no frame.
  package func messages(in text: String, limits: JSONLimits) -> [String]? {
    switch self {
    case .plain, .remon: [text]
    case .sockJS: SockJSFrame.read(text, limits: limits)
    case .rumor: nil
    }
  }

  /// The message in a binary message of the client; nil where only texts are right.
  /// - Throws: `RumorFault`.
  package func message(in bytes: [UInt8]) throws(RumorFault) -> String? {
    self == .rumor ? try RumorFrame(bytes).text : nil
  }
}

/// The frames of SockJS 0.3.3, section "Protocol and framing".
package enum SockJSFrame {
  package static let open = "o"
  package static let heartbeat = "h"

  package static func messages(_ messages: [String]) -> String {
    "a" + escaped(JSONValue.array(messages.map(JSONValue.string)).text)
  }

  package static func close(code: UInt16, reason: String) -> String {
    "c" + escaped(JSONValue.array([.integer(Int64(code)), .string(reason)]).text)
  }

  /// The messages of a client's frame, a JSON string or an array of them; none in an empty text. Nil for anything else.
  package static func read(_ text: String, limits: JSONLimits) -> [String]? {
    guard !text.isEmpty else { return [] }
    switch try? JSONValue(parsing: text, limits: limits) {
    case .string(let message): return [message]
    case .array(let values):
      let messages = values.compactMap(\.string)
      return messages.count == values.count ? messages : nil
    default: return nil
    }
  }

  /// JSON without the characters that browsers mangle on their way to a page (section "JSON Unicode Encoding").
  private static func escaped(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: isMangled) else { return json }
    var text = ""
    for scalar in json.unicodeScalars {
      if isMangled(scalar) {
        // Four digits, because all of them are between U+2000 and U+FFFF.
        text += "\\u" + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func isMangled(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C...0x200F, 0x2028...0x202F, 0x2060...0x206F, 0xFFF0...0xFFFF: true
    default: false
    }
  }
}
