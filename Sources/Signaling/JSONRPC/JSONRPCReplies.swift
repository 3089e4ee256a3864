import Machines

/// The replies of the last minute, for repeated requests.
///
/// iOS repeats an unanswered request after 5 and 15 seconds under the same identifier; a lost response must not make
/// its joinRoom fail against itself. The identifier alone is not enough, because apps reuse identifiers.
struct JSONRPCReplies {
  /// The identity of a request.
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

  /// Lifetime of a reply.
  static let lifetime = MonotonicTime.Span.seconds(60)
  /// Most replies kept.
  static let maximumCount = 64
  /// Most bytes of the kept replies and their requests.
  static let maximumBytes = 262_144

  /// In the order of sending.
  private var replies: [Reply] = []
  private(set) var bytes = 0
  var count: Int { replies.count }

  /// The reply to this same request from less than a minute ago.
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

/// Reads the session of a text before a machine handles it.
package enum JSONRPCSessionName {
  /// The member "sessionId" of the parameters, which identifies the session of a request over HTTP; nil if it is absent
  /// or unreadable.
  package static func named(by text: String, limits: JSONLimits = .signaling) -> String? {
    guard case .request(let request)? = try? JSONRPCMessage(text, limits: limits) else { return nil }
    return request.parameters["sessionId"]?.string
  }
}
