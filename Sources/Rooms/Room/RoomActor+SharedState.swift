import Machines
import Music
import Signaling

/// Shared objects: requests of members and the service, and notifications.
extension RoomActor {
  /// Reads the objects from disk at their first use.
  func openSharedState() async throws(RoomRefusal) {
    guard !shared.isOpen else { return }
    shared.open(try await services.sharedState.load(name), policy: services.configuration.sharedObjects)
  }

  /// The requesting member, who may have lost the seat while the objects were read.
  private func present(_ participant: ParticipantID, link: UInt64) throws(RoomRefusal) -> Member {
    guard let member = member(participant, link: link) else {
      throw RoomRefusal(.notJoined, "this link no longer has a seat; join again")
    }
    return member
  }

  func useSharedObject(
    _ object: SharedObjectName, isPersistent: Bool?, by participant: ParticipantID, link: UInt64
  ) async throws(RoomRefusal) -> RoomReply {
    try await openSharedState()
    let member = try present(participant, link: link)
    provideRoomObject(object)
    defer { if SharedObjectName.ofTheRoom.contains(object) { shared.withdrawUnused() } }
    if shared[object] == nil {
      do throws(RoomRefusal) {
        try member.check(.writeObjects, on: .room(name))
      } catch {
        throw RoomRefusal(
          .unknownObject, "there is no shared object \"\(object)\" yet, and a listener's join token makes none")
      }
    }
    let step = try shared.step { (state) throws(RoomRefusal) in
      try state.use(object, isPersistent: isPersistent, by: participant, link: link, identity: member.knownAs)
    }
    return carryOut(step, writer: member)
  }

  func changeSharedObject(
    _ object: SharedObjectName, _ changes: [SharedChange], by participant: ParticipantID, link: UInt64
  ) async throws(RoomRefusal) -> RoomReply {
    try await openSharedState()
    let member = try present(participant, link: link)
    let step = try shared.step { (state) throws(RoomRefusal) in
      try state.change(object, changes, by: .member(member.knownAs), participant: participant)
    }
    return carryOut(step, writer: member)
  }

  func releaseSharedObject(
    _ object: SharedObjectName, by participant: ParticipantID
  ) throws(RoomRefusal) -> RoomReply {
    keep(try shared.release(object, by: participant))
    return .done
  }

  /// Releases the objects of a departing member; those that nobody else uses are removed.
  func releaseSharedObjects(of participant: ParticipantID) {
    for record in shared.releaseAll(of: participant) { keep(record) }
  }

  // MARK: For the service

  /// An object as shown to the service.
  struct SharedObjectView: Sendable {
    var object: SharedObject
    var users: Int
  }

  func sharedObjects() async throws(RoomRefusal) -> [SharedObjectView] {
    try await visited { () async throws(RoomRefusal) in
      if !members.isEmpty { for name in SharedObjectName.ofTheRoom { provideRoomObject(name) } }
      defer { shared.withdrawUnused() }
      return shared.objects.map { SharedObjectView(object: $0.object, users: $0.users) }
    }
  }

  func sharedObject(_ object: SharedObjectName) async throws(RoomRefusal) -> SharedObjectView? {
    try await sharedObjects().first { $0.object.name == object }
  }

  /// Carries out one request of the service.
  /// - Returns: the object afterwards, nil if it no longer exists; or the reason why the precondition failed.
  func edit(
    _ object: SharedObjectName, if precondition: Broker.SharedObjectPrecondition, _ edit: SharedState.Edit
  ) async throws(RoomRefusal) -> SharedObjectEditing {
    try await visited { () async throws(RoomRefusal) in
      switch (precondition, shared[object]?.version) {
      case (.none, _), (.isNew, nil), (.exists, .some): break
      case (.isNew, .some): return .conflict(.exists)
      case (.version(let wanted), let found?): if wanted != found { return .conflict(.stale(current: found)) }
      case (.version, nil), (.exists, nil): throw SharedState.unknown(object)
      }
      let step = try shared.step { (state) throws(RoomRefusal) in try state.edit(object, edit) }
      _ = carryOut(step, writer: nil)
      return .done(shared[object].map { SharedObjectView(object: $0, users: shared.userCount(of: object)) })
    }
  }

  /// Calls a handler of one member, or of all.
  /// - Throws: `RoomRefusal` if the name or the arguments exceed a limit, or that member is not in the room.
  func push(_ handler: String, _ arguments: [SharedValue], to recipient: ParticipantID?) throws(RoomRefusal) {
    try SharedStateLimits.check(handler: handler, arguments)
    guard let recipient else { return tell(.push(name: handler, arguments)) }
    guard let member = members.first(where: { $0.participant.id == recipient }) else {
      throw RoomRefusal(.unknownParticipant, "\(recipient) is not in \(name); the room lists its members")
    }
    tell(.push(name: handler, arguments), to: member)
  }

  /// Retains the room while `body` waits, and releases it afterwards if it is empty.
  private func visited<Value>(
    _ body: () async throws(RoomRefusal) -> Value
  ) async throws(RoomRefusal) -> Value {
    guard !isClosed else { throw RoomRefusal(.unavailable, "the room is closing; try again in a moment") }
    visits += 1
    defer {
      visits -= 1
      closeIfEmpty()
    }
    try await openSharedState()
    return try await body()
  }

  // MARK: Steps

  /// Notifies everyone concerned by a step, in the same order for all, and stores it.
  @discardableResult
  func carryOut(_ step: SharedStateStep, writer: Member?) -> RoomReply {
    keep(step.record)
    if let event = step.toWriter, let writer { tell(.sharedObject(event), to: writer) }
    if let event = step.toOthers {
      for member in members where member !== writer {
        // A new link that has not received the object yet could not interpret earlier changes.
        guard let link = shared.link(of: member.participant.id, to: event.name), member.link?.id == link else {
          continue
        }
        tell(.sharedObject(event), to: member)
      }
    }
    return .sharedObject(step.receipt)
  }

  private func keep(_ record: SharedObjectRecord?) {
    if let record { services.sharedState.keep(record, of: name) }
  }
}

/// The outcome of a request of the service.
enum SharedObjectEditing: Sendable {
  case done(RoomActor.SharedObjectView?)
  case conflict(Broker.SharedObjectConflict)
}

extension Member {
  /// How the creator of an object is identified later: by the identity proved by a token, or by display name.
  fileprivate var knownAs: String { identity.map { "identity:\($0)" } ?? "name:\(participant.name)" }
}
