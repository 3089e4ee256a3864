import HTTPTypes

/// What a join token opens over REST: hearing and editing the takes of its room, as a musician's page needs it.
enum TokenScope: Hashable, Sendable {
  /// Any token: the resource itself compares the room of what it shows with the token's. An identifier that is hard to
  /// guess is no permission: it stands in logs, events and other people's lists.
  case anyToken
  /// A token of this room, as it stands in the path.
  case room(String)
  /// A token of the room in which this take was played.
  case take(String)
  /// An API key only.
  case key

  /// - Parameters:
  ///   - path: the pieces of the path, percent-decoded, without the empty first one.
  ///   - take: the query's parameter `take`.
  static func needed(for method: HTTPRequest.Method, _ path: [String], take: String?) -> TokenScope {
    guard path.first == "v1", path.count > 1 else { return .key }
    let reads = isReading(method)
    switch (path[1], path.count) {
    case ("rooms", 2), ("takes", 2), ("songs", 2), ("songs", 3), ("events", 2): return reads ? .anyToken : .key
    case ("rooms", 3): return reads ? .room(path[2]) : .key
    case ("rooms", _) where path[3] == "objects" && reads: return .room(path[2])
    case ("rooms", 4) where path[3] == "takes": return .room(path[2])
    case ("takes", 3) where path[2] == "bulk" || method == .delete: return .key
    case ("takes", 4) where path[3] == "restore": return .key
    case ("takes", _): return .take(path[2])
    case ("exports", 2): return take.map(TokenScope.take) ?? .key
    case ("exports", _), ("backups", 3): return .anyToken
    default: return .key
    }
  }

  /// What a listener's token may do too.
  static func isReading(_ method: HTTPRequest.Method) -> Bool { [.get, .head, .options].contains(method) }
}
