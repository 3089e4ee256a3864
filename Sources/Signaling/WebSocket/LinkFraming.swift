/// How messages stand in the messages of a WebSocket. The door of a link says which framing it has.
///
/// What a framing leaves out is as with `PlainFraming`.
package protocol LinkFraming: Sendable {
  /// The first text of the service.
  var opening: String? { get }
  /// The text beside each ping.
  var heartbeat: String? { get }
  /// The last text of the service, before its close frame.
  func closing(code: UInt16, reason: String) -> String?
  /// The message of the service that holds `message`.
  func frame(of message: String) -> LinkFrame
  /// The messages in a text of the client.
  /// - Throws: `FramingFault` if it is no frame.
  func messages(in text: String, limits: JSONLimits) throws(FramingFault) -> [String]
  /// The message in a binary message of the client; nil where only texts are right.
  /// - Throws: `FramingFault` if it is no frame.
  func message(in bytes: [UInt8]) throws(FramingFault) -> String?
}

extension LinkFraming {
  package var opening: String? { nil }
  package var heartbeat: String? { nil }
  package func closing(code: UInt16, reason: String) -> String? { nil }
  package func frame(of message: String) -> LinkFrame { .text(message) }
  package func messages(in text: String, limits: JSONLimits) throws(FramingFault) -> [String] { [text] }
  package func message(in bytes: [UInt8]) throws(FramingFault) -> String? { nil }
}

/// Each text is one message.
package struct PlainFraming: LinkFraming {
  package init() {}
}

/// A whole message of a WebSocket.
package enum LinkFrame: Hashable, Sendable {
  case text(String)
  case bytes([UInt8])
}

/// What is wrong with a client's frame: the link is closed with this code (RFC 6455 section 7.4) and sentence.
package struct FramingFault: Error, Hashable, Sendable {
  package var code: UInt16
  package var sentence: String

  package init(code: UInt16 = 1002, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}
