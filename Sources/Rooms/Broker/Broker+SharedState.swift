import Music
import Signaling

/// Shared objects and pushes, for the operator of the service; empty rooms still have their persistent objects.
extension Broker {
  /// The current state of an object.
  package struct SharedObjectState: Sendable {
    package var object: SharedObject
    /// Number of members using it.
    package var users: Int
  }

  /// The condition for carrying out a request.
  package enum SharedObjectPrecondition: Hashable, Sendable {
    case none
    case isNew
    case exists
    case version(Int)
  }

  /// The reason why a valid request was not carried out.
  package enum SharedObjectConflict: Error, Hashable, Sendable, CustomStringConvertible {
    case stale(current: Int)
    case exists

    package var description: String {
      switch self {
      case .stale(let current): "the object has version \(current) by now; read it, and decide again"
      case .exists: "there is such an object already; send If-Match with its ETag to replace it"
      }
    }
  }

  /// Returns all objects of a room, sorted by name; `roster`, `take` and `levels` only if somebody is in it.
  /// - Throws: `RoomRefusal`.
  package func sharedObjects(in name: RoomName) async throws(RoomRefusal) -> [SharedObjectState] {
    let views = try await visit(name) { room async throws(RoomRefusal) in try await room.sharedObjects() }
    return views.map { SharedObjectState(object: $0.object, users: $0.users) }
  }

  /// - Throws: `RoomRefusal` `.unknownObject`.
  package func sharedObject(
    _ object: SharedObjectName, in name: RoomName
  ) async throws(RoomRefusal) -> SharedObjectState {
    let view = try await visit(name) { room async throws(RoomRefusal) in try await room.sharedObject(object) }
    guard let view else { throw SharedState.unknown(object) }
    return SharedObjectState(object: view.object, users: view.users)
  }

  /// Carries out one request atomically and informs everyone who uses the object.
  ///
  /// - Returns: the object afterwards, nil if it no longer exists.
  /// - Throws: `RoomRefusal`, `SharedObjectConflict`; nothing has changed then.
  @discardableResult
  package func edit(
    _ object: SharedObjectName, in name: RoomName, if precondition: SharedObjectPrecondition = .none,
    _ edit: SharedState.Edit
  ) async throws -> SharedObjectState? {
    let editing = try await visit(name) { room async throws(RoomRefusal) in
      try await room.edit(object, if: precondition, edit)
    }
    switch editing {
    case .done(let view): return view.map { SharedObjectState(object: $0.object, users: $0.users) }
    case .conflict(let conflict): throw conflict
    }
  }

  /// Calls a handler of one member, or of everyone in the room.
  /// - Throws: `RoomRefusal`: `.wrongState` if the room is empty, `.unknownParticipant`, or the limit exceeded.
  package func push(
    _ handler: String, _ arguments: [SharedValue], to recipient: ParticipantID? = nil, in name: RoomName
  ) async throws(RoomRefusal) {
    try await live(name).push(handler, arguments, to: recipient)
  }
}
