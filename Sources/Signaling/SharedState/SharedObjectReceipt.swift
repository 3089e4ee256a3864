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
