import Logging
import Music
import Rooms
import Signaling

/// The shared dependencies of RTMP connections.
struct RTMPServices: Sendable {
  let broker: Broker
  let index: any TakeIndex
  let turnstile: Turnstile
  let limits: ServerLimits
  let methods: RTMPMethods
  let application: ApplicationMethods
  let transcoders: Transcoders
  let broadcasts: AACBroadcasts
  let connections: RTMPConnections
  let refusals: RefusalLog
  let logger: Logger

  /// The default room of clients that name none.
  private static let lobby = "lobby"

  /// Between the parts of a longer path: no part contains it, so that two paths are never one room.
  private static let separator = "~"

  /// The room of a scope; path components are joined, because a room's name has no slash.
  func room(of scope: RTMPScope) throws(RoomRefusal) -> RoomName {
    do throws(NameError) {
      return try RoomName(
        checking: scope.parts.isEmpty ? RTMPServices.lobby : scope.parts.joined(separator: RTMPServices.separator))
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
  }

  /// Enters a room with the client's credentials.
  /// - Throws: `RoomRefusal` as for any join.
  func enter(
    _ room: RoomName, as name: String, role: Role, token: String?, from origin: Turnstile.Origin
  ) async throws(RoomRefusal) -> (Membership, Caller) {
    let (grant, caller) = try turnstile.admit(token, at: .rtmp, from: origin)
    try turnstile.quotas.begin(.join, caller, room: room)
    var text = name
    // A listener needs no name of its own, and the name in a token may be taken by its musician.
    if role == .musician, let given = grant.name { text = given }
    let display: DisplayName
    do throws(NameError) {
      display = try DisplayName(checking: text)
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
    let request = try grant.applied(
      to: JoinRequest(name: display, role: role), in: room, at: .rtmp, address: origin.host, isNamed: role == .musician)
    return (try await broker.enter(room, request), caller)
  }
}

/// The credentials of a client at connecting: a token and the requested name.
///
/// Both may be in an object after the command object (`{token, name}`), in the query of its address, or plain strings
/// after the command object: the name first, then the token.
struct RTMPCredentials: Sendable {
  var token: String?
  var name: String?

  init(_ request: RTMPConnectRequest) {
    let objects = request.parameters.filter { $0.members != nil }
    let strings = request.parameters.compactMap(\.string)
    token = objects.lazy.compactMap { $0["token"]?.string }.first ?? request.query?["token"]
    name = objects.lazy.compactMap { $0["name"]?.string }.first ?? request.query?["name"] ?? strings.first
    if token == nil, strings.count > 1 { token = strings[1] }
  }

  /// The token of a stream key (`guitar?token=…`), otherwise the connection's.
  func token(of stream: RTMPStreamName) -> String? {
    stream.query?["token"] ?? stream.query?["key"] ?? token
  }
}
