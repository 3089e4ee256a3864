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
