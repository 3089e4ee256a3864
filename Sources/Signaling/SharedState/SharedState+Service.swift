import Music

/// Changes to objects by the operator of the service and by the room itself.
extension SharedState {
  /// A request from the operator, carried out or refused as a whole.
  package enum Edit: Sendable {
    /// Replaces all slots by these; nil keeps the persistence flag, and makes a new object persistent.
    case replace([SharedObjectEvent.Slot], isPersistent: Bool?)
    /// A merge patch for the slots (RFC 7396): null removes one, objects are merged.
    case merge([SharedObjectEvent.Slot])
    /// Removes all slots; an object without users is deleted.
    case delete
    case send(handler: String, [SharedValue])
  }

  /// - Throws: `RoomRefusal` with the first fault; nothing has changed then.
  package mutating func edit(_ name: SharedObjectName, _ edit: Edit) throws(RoomRefusal) -> SharedStateStep {
    guard !SharedObjectName.ofTheRoom.contains(name) else {
      throw RoomRefusal(.forbidden, "\"\(name)\" is the room's own; it can be read, only the room writes it")
    }
    var next = self
    if next.items[name] == nil {
      guard case .replace(_, let isPersistent) = edit else {
        throw SharedState.unknown(name)
      }
      guard isPersistent != false else {
        throw RoomRefusal(
          .wrongState,
          "nobody uses \"\(name)\", and without \"persistent\" it would be gone at once; a member makes it")
      }
      next.items[name] = Item(object: try make(name, isPersistent: true, creator: .service))
    } else if case .replace(_, let isPersistent?) = edit, isPersistent != self[name]?.isPersistent {
      throw RoomRefusal(
        .objectPersistence, "the persistence of \"\(name)\" was determined at its creation; delete it first")
    }
    var step = try next.change(name, next.changes(of: name, edit), by: .service)
    if let denial = step.receipt.denials.first { throw denial.refusal }
    // For a new or replaced object, one complete line is shorter than its changes.
    if case .replace = edit, let object = next[name], object.isPersistent { step.record = .object(object) }
    if let dropped = next.dropIfDead(name) { step.record = dropped }
    self = next
    return step
  }

  package static func unknown(_ name: SharedObjectName) -> RoomRefusal {
    RoomRefusal(.unknownObject, "there is no shared object \"\(name)\"; using it creates it, and so does PUT")
  }

  private func changes(of name: SharedObjectName, _ edit: Edit) -> [SharedChange] {
    switch edit {
    case .replace(let slots, _):
      let kept = Set(slots.map(\.key))
      let gone = (self[name]?.slots ?? []).filter { !kept.contains($0.key) }
      return gone.map { .remove($0.key) } + slots.map { .set($0.key, $0.value) }
    case .merge(let slots):
      return slots.map { slot in
        .set(slot.key, slot.value == .null ? .null : (self[name]?[slot.key] ?? .null).merged(with: slot.value))
      }
    case .delete: return [.clear]
    case .send(let handler, let arguments): return [.send(handler: handler, arguments)]
    }
  }

  /// Creates an object that only the room writes, before somebody uses it.
  package mutating func provide(_ name: SharedObjectName, _ slots: [SharedObjectEvent.Slot]) {
    guard items[name] == nil else { return }
    var object = SharedObject(name: name, isPersistent: false, isReadOnly: true)
    for slot in slots { object.store(slot.value, at: slot.key) }
    items[name] = Item(object: object)
  }

  /// Removes an object that nobody uses after all.
  package mutating func withdraw(_ name: SharedObjectName) {
    _ = dropIfDead(name)
  }

  /// Updates one of the room's own objects; nil if nobody uses it or nothing has changed.
  package mutating func reflect(_ name: SharedObjectName, _ changes: [SharedChange]) -> SharedStateStep? {
    guard let object = self[name], !changes.isEmpty else { return nil }
    let isNews = changes.contains { change in
      switch change {
      case .set(let key, let value): object[key] != value
      case .remove(let key): object[key] != nil
      case .clear: !object.isEmpty
      case .send: true
      }
    }
    return isNews ? try? change(name, changes, by: .room) : nil
  }
}
