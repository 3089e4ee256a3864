import Music
import Signaling

/// Shared objects and pushes, for whoever runs the service; rooms with nobody in have their persistent objects.
extension Broker {
  /// An object as it is now.
  package struct SharedObjectState: Sendable {
    package var object: SharedObject
    /// Members that use it.
    package var users: Int
  }

  /// What must be so for a request to be carried out.
  package enum SharedObjectPrecondition: Hashable, Sendable {
    case none
    case isNew
    case exists
    case version(Int)
  }

  /// Why a request was not carried out although nothing was wrong with it.
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

  /// All objects of a room, by name; `roster`, `take` and `levels` where somebody is in.
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

  /// Carries out one request as a whole; everybody who uses the object is told.
  ///
  /// - Returns: the object afterwards, nil where it is no more.
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

  /// Calls a handler of one member, or of everybody in the room.
  /// - Throws: `RoomRefusal` `.wrongState` where nobody is in, `.unknownParticipant`, or the limit that was broken.
  package func push(
    _ handler: String, _ arguments: [SharedValue], to recipient: ParticipantID? = nil, in name: RoomName
  ) async throws(RoomRefusal) {
    try await live(name).push(handler, arguments, to: recipient)
  }
}
