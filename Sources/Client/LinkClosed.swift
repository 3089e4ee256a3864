/// The end of a signaling link, or a failure to open one.
package struct LinkClosed: Error, Hashable, Sendable, CustomStringConvertible {
  /// The WebSocket's code (RFC 6455 section 7.4); 1006 if the connection broke without one.
  package var code: UInt16
  package var reason: String

  /// It was ended on this side, as it should be.
  package static let ended = LinkClosed(code: 1000, reason: "ended here")
  /// It was given up on this side.
  package static let flooded = LinkClosed(code: 1008, reason: "messages come faster than they can be read")
  static let broken = LinkClosed(code: 1006, reason: "the connection broke")

  package var description: String { "the signaling link was closed: \(reason) (\(code))" }
}
