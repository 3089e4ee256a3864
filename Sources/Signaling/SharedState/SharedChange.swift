/// One step of a change message.
package enum SharedChange: Hashable, Sendable {
  /// Gives a slot a value; null takes the slot away.
  case set(String, SharedValue)
  case remove(String)
  /// Takes all slots away.
  case clear
  /// Calls a handler of everybody who uses the object, the sender included; nothing is kept.
  case send(handler: String, [SharedValue])
}
