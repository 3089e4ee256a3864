import Music
import Signaling

/// The client's end of a native link.
package typealias NativeConnection = Connection<NativeClient>

extension Connection<NativeClient> {
  /// Opens a link to `room`, runs `body` with it, and closes it.
  /// - Throws: errors of `body`, `LinkClosed` if the service refuses the link, `IOError` if it cannot be reached.
  package static func with<Result: Sendable>(
    _ endpoint: ServiceEndpoint, room: RoomName, _ body: (NativeConnection) async throws -> Result
  ) async throws -> Result {
    try await with(
      TextLink(endpoint: endpoint, target: RESTNames.signal(of: room), limits: .received), body)
  }

  /// Enters the room of the link.
  /// - Throws: `RoomRefusal`, `ProtocolViolation`, `LinkClosed`.
  package func join(_ request: JoinRequest, token: String? = nil) async throws -> Seating {
    guard case .joined(let seating) = try await ask(.join(request, token: token)) else { throw Self.crossed }
    return seating
  }

  /// Sends a command to the room.
  /// - Throws: `RoomRefusal`, `ProtocolViolation`, `LinkClosed`.
  package func perform(_ command: RoomCommand) async throws -> RoomReply {
    guard case .reply(let reply) = try await ask(.perform(command)) else { throw Self.crossed }
    return reply
  }

  /// Reads the service's clock.
  package func ping() async throws -> NativeClockSample {
    guard case .clock(let sample) = try await ask(.ping) else { throw Self.crossed }
    return sample
  }

  private static var crossed: ProtocolViolation {
    ProtocolViolation("the service answered something else than was asked")
  }
}
