import Signaling

/// What a client showed as it connected: a token, and the name that it wants to be known by.
///
/// Both may stand in an object behind the command object (`{token, name}`), in the query of its address, or as plain
/// strings behind the command object: the name first, then the token.
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

  /// The token of a stream key (`guitar?token=…`), or what the connection showed.
  func token(of stream: RTMPStreamName) -> String? {
    stream.query?["token"] ?? stream.query?["key"] ?? token
  }
}
