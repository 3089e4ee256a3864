import Machines

/// The replies of the last minute, to be sent again when a request is repeated.
///
/// iOS sends an unanswered request again after 5 and 15 seconds under the same identifier; an answer that was lost on the
/// way must not make its joinRoom fail against itself. Identifiers alone tell nothing, since apps use them again.
struct JSONRPCReplies {
  /// What makes a request the same request.
  struct Key: Hashable, Sendable {
    let id: JSONRPCID
    let method: String
    /// As text, so that its length is known.
    let parameters: String

    init(_ request: JSONRPCRequest) {
      id = request.id
      method = request.method
      parameters = JSONValue.object(request.parameters).text
    }

    /// In bytes.
    var size: Int { method.utf8.count + parameters.utf8.count }
  }

  private struct Reply {
    var key: Key
    var text: String
    var sentAt: MonotonicTime

    var size: Int { key.size + text.utf8.count }
  }

  /// How long a reply is kept.
  static let lifetime = MonotonicTime.Span.seconds(60)
  /// How many replies are kept.
  static let maximumCount = 64
  /// How much the kept replies and what they answer may take, in bytes.
  static let maximumBytes = 262_144

  /// In the order in which they were sent.
  private var replies: [Reply] = []
  private(set) var bytes = 0
  var count: Int { replies.count }

  /// The reply that this very request got less than a minute ago.
  mutating func reply(to key: Key, at now: MonotonicTime) -> String? {
    expire(at: now)
    return replies.last { $0.key == key }?.text
  }

  mutating func keep(_ text: String, for key: Key, at now: MonotonicTime) {
    expire(at: now)
    let reply = Reply(key: key, text: text, sentAt: now)
    guard reply.size <= JSONRPCReplies.maximumBytes else { return }
    replies.append(reply)
    bytes += reply.size
    while replies.count > JSONRPCReplies.maximumCount || bytes > JSONRPCReplies.maximumBytes { dropFirst() }
  }

  private mutating func expire(at now: MonotonicTime) {
    while let first = replies.first, now - first.sentAt >= JSONRPCReplies.lifetime { dropFirst() }
  }

  private mutating func dropFirst() {
    bytes -= replies.removeFirst().size
  }
}
