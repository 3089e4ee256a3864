/// The frames of SockJS 0.3.3, for pages that connect by sockjs-client.
package struct SockJSFraming: LinkFraming {
  package init() {}

  package var opening: String? { SockJSFrame.open }
  package var heartbeat: String? { SockJSFrame.heartbeat }

  package func closing(code: UInt16, reason: String) -> String? { SockJSFrame.close(code: code, reason: reason) }

  package func frame(of message: String) -> LinkFrame { .text(SockJSFrame.messages([message])) }

  package func messages(in text: String, limits: JSONLimits) throws(FramingFault) -> [String] {
    guard let messages = SockJSFrame.read(text, limits: limits) else {
      throw FramingFault("a text of SockJS is a JSON string, or an array of strings")
    }
    return messages
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
