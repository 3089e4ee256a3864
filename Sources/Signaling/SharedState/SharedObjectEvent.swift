/// An event for users of a shared object: one for each change message, in the same order for everyone.
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

  /// The contents of an event.
  package enum Content: Hashable, Sendable {
    /// After a use: all slots of the object, which replace the client's earlier state.
    case slots([Slot])
    /// After a change: its effects for this member.
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

/// The answer to a use or a change message; the effects are in the event, which preserves the order.
package struct SharedObjectReceipt: Hashable, Sendable {
  /// A refused step.
  package struct Denial: Hashable, Sendable {
    /// The slot; nil for a clear or a send.
    package var key: String?
    package var refusal: RoomRefusal

    package init(key: String?, refusal: RoomRefusal) {
      self.key = key
      self.refusal = refusal
    }
  }

  package var name: SharedObjectName
  /// The object's version afterwards.
  package var version: Int
  /// Refused steps; the others were carried out.
  package var denials: [Denial]

  package init(name: SharedObjectName, version: Int, denials: [Denial] = []) {
    self.name = name
    self.version = version
    self.denials = denials
  }
}

/// The effect of one step of a change message for a user of the object, in the order of the steps.
///
/// The writer always receives the stored value, because another member's value may have arrived between its request
/// and this event.
package enum SharedOutcome: Hashable, Sendable {
  /// To the writer: the slot now has this value.
  case confirmed(String, SharedValue)
  /// Another member's value, or the stored value after a denied request.
  case changed(String, SharedValue)
  /// The slot was removed; the author of a removal receives this even if there was no such slot.
  case removed(String)
  case cleared
  case sent(handler: String, [SharedValue])
  /// To the writer: this step was refused; the slot is nil for a clear or a send. The stored state follows.
  case denied(String?, RoomRefusal)
}
