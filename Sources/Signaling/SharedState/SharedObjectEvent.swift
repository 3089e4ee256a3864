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

/// The answer to a use or to a change message: what became of it stands in the event, which keeps the order.
package struct SharedObjectReceipt: Hashable, Sendable {
  /// A step that was refused.
  package struct Denial: Hashable, Sendable {
    /// The slot, nil for a clear or a send.
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
  /// Steps that were refused; the others were carried out.
  package var denials: [Denial]

  package init(name: SharedObjectName, version: Int, denials: [Denial] = []) {
    self.name = name
    self.version = version
    self.denials = denials
  }
}

/// What one step of a change message means for one of those who use the object, in the order of the steps.
///
/// The writer is always told the stored value: it may have heard another's value between its wish and this.
package enum SharedOutcome: Hashable, Sendable {
  /// To the writer: the slot holds this value now.
  case confirmed(String, SharedValue)
  /// Another's value, or the true value after a wish that was denied.
  case changed(String, SharedValue)
  /// The slot is gone; the writer of a removal hears it also where there was none.
  case removed(String)
  case cleared
  case sent(handler: String, [SharedValue])
  /// To the writer: this step was refused, the slot being nil for a clear or a send. What is true follows.
  case denied(String?, RoomRefusal)
}
