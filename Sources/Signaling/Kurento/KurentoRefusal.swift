/// The room's refusals as errors of this wire.
enum KurentoRefusal {
  /// The kind of request, which determines the code.
  enum Context: Hashable, Sendable, CaseIterable {
    case join
    case media
    case unpublishing
    case candidate
    /// Chat, takes, leaving.
    case other
  }

  /// The one table: every refusal has a code in every context.
  static func code(of refusal: RoomRefusal.Code, in context: Context) -> Int64 {
    switch refusal {
    case .unknownMethod: JSONRPCError.unknownMethod
    case .malformed: JSONRPCError.invalidParameters
    default: kurentoCode(of: refusal, in: context).rawValue
    }
  }

  private static func kurentoCode(of refusal: RoomRefusal.Code, in context: Context) -> KurentoErrorCode {
    switch refusal {
    case .roomFull: .roomGeneric
    case .nameTaken, .alreadyJoined: .existingUserInRoom
    case .notJoined, .unknownParticipant: .userNotFound
    case .notPublishing: .userNotStreaming
    case .invalidDescription: .mediaDescription
    case .invalidCandidate: .mediaCandidate
    case .alreadyPublishing: .mediaEndpoint
    case .unknownPeer: byContext(context, join: .generic, media: .mediaEndpoint, unpublishing: .userNotStreaming)
    case .unauthorized, .forbidden, .storage: byContext(context, join: .roomCannotBeCreated, media: .mediaEndpoint)
    case .unavailable: byContext(context, join: .roomClosed, media: .mediaEndpoint, other: .roomClosed)
    case .tooMany, .rateLimited: byContext(context, join: .roomGeneric, media: .mediaEndpoint)
    case .tooLarge: byContext(context, join: .generic, media: .mediaDescription, candidate: .mediaCandidate)
    case .wrongState: byContext(context, join: .generic, media: .mediaEndpoint)
    case .invalidName, .noTake, .takeRolling, .invalidText, .unknownObject, .objectPersistence, .unknownMethod,
      .callFailed, .malformed:
      .generic
    }
  }

  /// `unpublishing` and `candidate` use the code of `media` unless named.
  private static func byContext(
    _ context: Context, join: KurentoErrorCode, media: KurentoErrorCode, unpublishing: KurentoErrorCode? = nil,
    candidate: KurentoErrorCode? = nil, other: KurentoErrorCode = .generic
  ) -> KurentoErrorCode {
    switch context {
    case .join: join
    case .media: media
    case .unpublishing: unpublishing ?? media
    case .candidate: candidate ?? media
    case .other: other
    }
  }

  static func error(_ refusal: RoomRefusal, in context: Context) -> JSONRPCError {
    JSONRPCError(code: code(of: refusal.code, in: context), refusal.description)
  }
}

/// The error codes of Kurento Room (`RoomException.Code`) used here.
package enum KurentoErrorCode: Int64, Hashable, Sendable, CaseIterable {
  case generic = 999
  /// Nobody of that name is in the room, or the caller has not joined.
  case userNotFound = 102
  case existingUserInRoom = 104
  case userNotStreaming = 105
  case roomGeneric = 201
  case roomNotFound = 202
  case roomClosed = 203
  case roomCannotBeCreated = 204
  case mediaDescription = 302
  case mediaEndpoint = 303
  /// An unusable candidate.
  case mediaCandidate = 306
}

extension JSONRPCError {
  init(_ code: KurentoErrorCode, _ description: String) {
    self.init(code: code.rawValue, description)
  }
}
