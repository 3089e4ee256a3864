/// What somebody who uses a shared object is told: one message for one change message, in one order for everybody.
package struct SharedObjectEvent: Hashable, Sendable {
  /// One slot and its value.
  package struct Slot: Hashable, Sendable {
    package var key: String
    package var value: SharedValue

    package init(_ key: String, _ value: SharedValue) {
      self.key = key
      self.value = value
    }
  }

  /// What it says.
  package enum Content: Hashable, Sendable {
    /// After a use: everything that the object holds; what the client knew before is void.
    case slots([Slot])
    /// After a change: what it means for this member.
    case outcomes([SharedOutcome])
  }

  package var name: SharedObjectName
  /// The object's version after the message.
  package var version: Int
  package var isPersistent: Bool
  package var content: Content

  package init(name: SharedObjectName, version: Int, isPersistent: Bool, content: Content) {
    self.name = name
    self.version = version
    self.isPersistent = isPersistent
    self.content = content
  }
}
