import Music

/// All shared objects of one room, and their users.
///
/// Every call returns a `SharedStateStep` with the notifications and the record to be stored. If its owner carries
/// the steps out in the order of the calls, everyone who uses an object ends up with the same slots.
///
/// ```swift
/// var state = SharedState(policy: policy, restoring: objects)
/// let step = try state.use(name, by: ada, link: link, identity: "name:Ada")
/// ```
package struct SharedState: Sendable {
  /// An object and its users.
  struct Item: Sendable {
    var object: SharedObject
    /// The link with which each member uses it; messages to a former link are not sent to the next.
    var users: [ParticipantID: UInt64] = [:]
  }

  package let policy: SharedObjectPolicy
  var items: [SharedObjectName: Item] = [:]

  /// Starts with the stored objects.
  package init(policy: SharedObjectPolicy = SharedObjectPolicy(), restoring objects: [SharedObject] = []) {
    self.policy = policy
    for object in objects { items[object.name] = Item(object: object) }
  }

  /// All objects by name, with the number of their users.
  package var objects: [(object: SharedObject, users: Int)] {
    items.values.map { ($0.object, $0.users.count) }.sorted { $0.0.name < $1.0.name }
  }

  package subscript(name: SharedObjectName) -> SharedObject? { items[name]?.object }

  /// Number of members who use an object.
  package func userCount(of name: SharedObjectName) -> Int { items[name]?.users.count ?? 0 }

  /// The link with which a member uses an object; nil if they do not.
  package func link(of participant: ParticipantID, to name: SharedObjectName) -> UInt64? {
    items[name]?.users[participant]
  }

  /// Bytes available to an object, given all others of the room.
  private func room(for object: SharedObject) -> Int {
    var (all, persistent) = (0, 0)
    for other in items.values.lazy.map(\.object) {
      all &+= other.size
      if other.isPersistent { persistent &+= other.size }
    }
    let left = min(SharedStateLimits.objectBytes, SharedStateLimits.roomBytes &- all)
    return object.isPersistent ? min(left, SharedStateLimits.persistentBytes &- persistent) : left
  }

  // MARK: Coming and going

  /// Registers a member as a user of an object, or sends it again.
  ///
  /// - Parameters:
  ///   - isPersistent: the expected persistence; nil accepts either.
  ///   - identity: identifies the member later if they create the object.
  /// - Throws: `RoomRefusal`: `.objectPersistence`, `.tooMany`, `.forbidden`.
  package mutating func use(
    _ name: SharedObjectName, isPersistent: Bool? = nil, by participant: ParticipantID, link: UInt64,
    identity: String
  ) throws(RoomRefusal) -> SharedStateStep {
    if items[name]?.users[participant] == nil {
      let used = items.values.count { $0.users[participant] != nil }
      guard used < SharedStateLimits.objectsPerMember else {
        throw RoomRefusal(.tooMany, "you use \(used) shared objects, the maximum of a member; release one")
      }
    }
    var isNew = false
    var item: Item
    if let found = items[name] {
      item = found
      if let isPersistent, isPersistent != item.object.isPersistent {
        throw RoomRefusal(
          .objectPersistence,
          "\"\(name)\" \(item.object.isPersistent ? "is kept" : "lives while it is used"); use it as that")
      }
    } else {
      isNew = true
      item = Item(object: try make(name, isPersistent: isPersistent ?? false, creator: .member(identity)))
    }
    item.users[participant] = link
    item.object.join()
    items[name] = item
    let object = item.object
    let event = SharedObjectEvent(
      name: name, version: object.version, isPersistent: object.isPersistent, content: .slots(object.slots))
    var step = SharedStateStep(receipt: SharedObjectReceipt(name: name, version: object.version))
    step.toWriter = event
    if object.isPersistent { step.record = isNew ? .object(object) : .change(name, version: object.version, []) }
    return step
  }

  /// Creates a missing object, within the room's limits.
  func make(
    _ name: SharedObjectName, isPersistent: Bool, creator: SharedWriter
  ) throws(RoomRefusal) -> SharedObject {
    guard items.count < SharedStateLimits.objectsPerRoom else {
      throw RoomRefusal(
        .tooMany, "the room has \(items.count) shared objects, the maximum; delete one first")
    }
    var identity: String?
    if case .member(let key) = creator {
      identity = key
      guard !isPersistent || policy.creation == .everybody else {
        throw RoomRefusal(
          .forbidden, "nobody may create persistent shared objects here; use it without \"persistent\"")
      }
    }
    return SharedObject(name: name, isPersistent: isPersistent, creator: identity)
  }

  /// Ends a member's use of an object; an object without users is kept only if it is persistent and not empty.
  /// - Throws: `RoomRefusal` `.unknownObject` if they did not use it.
  package mutating func release(
    _ name: SharedObjectName, by participant: ParticipantID
  ) throws(RoomRefusal) -> SharedObjectRecord? {
    guard items[name]?.users.removeValue(forKey: participant) != nil else {
      throw RoomRefusal(.unknownObject, "you do not use \"\(name)\"; there is nothing to release")
    }
    return dropIfDead(name)
  }

  /// Ends all uses of a member who has left.
  package mutating func releaseAll(of participant: ParticipantID) -> [SharedObjectRecord] {
    let used = items.filter { $0.value.users[participant] != nil }.keys
    return used.sorted().compactMap { name in
      items[name]?.users[participant] = nil
      return dropIfDead(name)
    }
  }

  /// Removes an object without users that is not persistent, or is empty.
  mutating func dropIfDead(_ name: SharedObjectName) -> SharedObjectRecord? {
    guard let item = items[name], item.users.isEmpty, !item.object.isPersistent || item.object.isEmpty else {
      return nil
    }
    items[name] = nil
    return item.object.isPersistent ? .removed(name) : nil
  }

  // MARK: Changing

  /// Carries out one change message; refused steps are listed in the receipt.
  ///
  /// - Parameter participant: the writer; nil for the service and the room.
  /// - Throws: `RoomRefusal`: `.unknownObject`, `.tooMany` steps.
  package mutating func change(
    _ name: SharedObjectName, _ changes: [SharedChange], by writer: SharedWriter, participant: ParticipantID? = nil
  ) throws(RoomRefusal) -> SharedStateStep {
    guard var item = items[name] else {
      throw SharedState.unknown(name)
    }
    // Removed temporarily, so that the slots are not copied.
    items[name] = nil
    defer { items[name] = item }
    let limit = room(for: item.object)
    let update = try item.object.apply(
      changes, by: writer, mayDelete: mayDelete(writer, item.object), limit: limit)
    return step(item.object, update, writer: participant)
  }

  func mayDelete(_ writer: SharedWriter, _ object: SharedObject) -> Bool {
    guard case .member(let identity) = writer else { return true }
    return switch policy.deletion {
    case .everybody: true
    case .nobody: false
    case .creator: SharedState.isSame(object.creator, identity)
    }
  }

  /// Earlier releases kept the name of a creator's token as it was written; identities have it without case.
  private static func isSame(_ creator: String?, _ identity: String) -> Bool {
    creator == identity
      || (identity.hasPrefix("identity:" + Admission.namePrefix) && creator?.uppercased().lowercased() == identity)
  }

  private func step(
    _ object: SharedObject, _ update: SharedObjectUpdate, writer: ParticipantID?
  ) -> SharedStateStep {
    func event(_ outcomes: [SharedOutcome]) -> SharedObjectEvent? {
      guard !outcomes.isEmpty else { return nil }
      return SharedObjectEvent(
        name: object.name, version: object.version, isPersistent: object.isPersistent, content: .outcomes(outcomes))
    }
    var step = SharedStateStep(
      receipt: SharedObjectReceipt(name: object.name, version: object.version, denials: update.denials))
    step.toWriter = writer == nil ? nil : event(update.toWriter)
    step.toOthers = event(update.toOthers)
    if object.isPersistent { step.record = .change(object.name, version: object.version, update.stored) }
    return step
  }
}

/// The consequences of a use or a change, to be carried out in this order.
package struct SharedStateStep: Sendable {
  package var receipt: SharedObjectReceipt
  /// For the requesting member, whether they use the object or not.
  package var toWriter: SharedObjectEvent?
  /// For everyone else who uses the object.
  package var toOthers: SharedObjectEvent?
  /// The record to be stored; nil for objects that are not persistent.
  package var record: SharedObjectRecord?

  init(receipt: SharedObjectReceipt) {
    self.receipt = receipt
  }
}
