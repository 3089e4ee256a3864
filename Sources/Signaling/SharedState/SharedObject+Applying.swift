/// The effects of one change message on an object.
package struct SharedObjectUpdate: Hashable, Sendable {
  /// For the writer, whether they use the object or not.
  package var toWriter: [SharedOutcome] = []
  /// For everyone else who uses the object.
  package var toOthers: [SharedOutcome] = []
  package var denials: [SharedObjectReceipt.Denial] = []
  /// The changes to be stored.
  package var stored: [SharedChange] = []
}

extension SharedObject {
  /// Applies one change message step by step. A refused step does not affect the others, and its writer receives the
  /// stored state instead.
  ///
  /// The last writer wins, in the order in which messages arrive. The version increases unless every step was
  /// refused.
  ///
  /// - Parameters:
  ///   - mayDelete: the policy's decision for this writer.
  ///   - room: maximum number of bytes for the object.
  /// - Throws: `RoomRefusal` `.tooMany` if the message has too many steps; nothing has changed then.
  package mutating func apply(
    _ changes: [SharedChange], by writer: SharedWriter, mayDelete: Bool = true,
    limit room: Int = SharedStateLimits.objectBytes
  ) throws(RoomRefusal) -> SharedObjectUpdate {
    // A request of the service may replace all slots by others.
    guard changes.count <= SharedStateLimits.changes || writer == .service else {
      throw RoomRefusal(
        .tooMany, "the message has \(changes.count) changes; \(SharedStateLimits.changes) is the maximum, send several")
    }
    var update = SharedObjectUpdate()
    for change in changes {
      do throws(RoomRefusal) {
        guard !isReadOnly || writer == .room else {
          throw RoomRefusal(.forbidden, "\"\(name)\" is the room's own; it can be read, only the room writes it")
        }
        switch change {
        case .set(let key, .null), .remove(let key): try remove(key, mayDelete, &update)
        case .set(let key, let value): try set(key, value, room, &update)
        case .clear: try clear(mayDelete, &update)
        case .send(let handler, let arguments):
          try SharedStateLimits.check(handler: handler, arguments)
          update.toWriter.append(.sent(handler: handler, arguments))
          update.toOthers.append(.sent(handler: handler, arguments))
        }
      } catch {
        deny(change, error, &update)
      }
    }
    if update.denials.count < changes.count { version &+= 1 }
    return update
  }

  private mutating func set(
    _ key: String, _ value: SharedValue, _ limit: Int, _ update: inout SharedObjectUpdate
  ) throws(RoomRefusal) {
    if self[key] == value {
      update.toWriter.append(.confirmed(key, value))
      return
    }
    let length = key.utf8.count
    guard (1...SharedStateLimits.nameBytes).contains(length) else {
      throw RoomRefusal(
        .invalidName, "the key of a slot has \(length) bytes; it must have 1 to \(SharedStateLimits.nameBytes)")
    }
    try value.check("the value of \"\(key)\"")
    guard entries[key] != nil || entries.count < SharedStateLimits.slots else {
      throw RoomRefusal(.tooMany, "\"\(name)\" has \(entries.count) slots, the maximum of an object")
    }
    let grown = size &+ SharedObject.size(key, value) &- (entries[key]?.size ?? 0)
    guard grown <= limit else {
      throw RoomRefusal(.tooLarge, "\"\(name)\" would have \(grown) bytes; it can have \(limit) at most, remove slots")
    }
    store(value, at: key)
    update.toWriter.append(.confirmed(key, value))
    update.toOthers.append(.changed(key, value))
    update.stored.append(.set(key, value))
  }

  private mutating func remove(
    _ key: String, _ mayDelete: Bool, _ update: inout SharedObjectUpdate
  ) throws(RoomRefusal) {
    if entries[key] != nil { try check(mayDelete) }
    update.toWriter.append(.removed(key))
    guard take(key) else { return }
    update.toOthers.append(.removed(key))
    update.stored.append(.remove(key))
  }

  private mutating func clear(_ mayDelete: Bool, _ update: inout SharedObjectUpdate) throws(RoomRefusal) {
    if !isEmpty { try check(mayDelete) }
    if !isEmpty { update.stored.append(.clear) }
    empty()
    update.toWriter.append(.cleared)
    update.toOthers.append(.cleared)
  }

  private func check(_ mayDelete: Bool) throws(RoomRefusal) {
    guard !mayDelete else { return }
    throw RoomRefusal(
      .forbidden, "this service does not let you remove anything from \"\(name)\"; values can be set instead")
  }

  /// The writer has already changed its own copy, so it receives the stored state.
  private func deny(_ change: SharedChange, _ refusal: RoomRefusal, _ update: inout SharedObjectUpdate) {
    switch change {
    case .set(let key, _), .remove(let key):
      update.denials.append(.init(key: key, refusal: refusal))
      update.toWriter.append(.denied(key, refusal))
      update.toWriter.append(self[key].map { .changed(key, $0) } ?? .removed(key))
    case .clear:
      update.denials.append(.init(key: nil, refusal: refusal))
      update.toWriter.append(.denied(nil, refusal))
      for slot in slots { update.toWriter.append(.changed(slot.key, slot.value)) }
    case .send:
      update.denials.append(.init(key: nil, refusal: refusal))
      update.toWriter.append(.denied(nil, refusal))
    }
  }
}
