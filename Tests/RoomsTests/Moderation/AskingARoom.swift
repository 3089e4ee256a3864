import Music
import Signaling

@testable import Rooms

/// Suites whose members ask a room for what it may refuse.
protocol AskingARoom {}

extension AskingARoom {
  func request(
    _ name: String, _ authority: Authority, _ role: Role = .listener, door: Authorisation.Door = .native,
    secret: String? = nil
  ) throws -> JoinRequest {
    var request = JoinRequest(name: try DisplayName(checking: name), role: role, resumeSecret: secret, door: door)
    request.authority = authority
    return request
  }

  /// The code of a refusal; nil if there was none.
  func code(_ body: () async throws -> RoomReply) async -> RoomRefusal.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? RoomRefusal)?.code
    }
  }
}
