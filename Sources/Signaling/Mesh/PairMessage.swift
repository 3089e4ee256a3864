import Music

/// A message of one musician's client to another's about their direct connection. The service passes it on unread.
package struct PairMessage: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case offer(sdp: String)
    case answer(sdp: String)
    case candidate(CandidateMessage)
    /// The sender has closed its end: for clients that say so themselves (XirSys). Native clients need it not.
    case bye
  }

  package var content: Content
  /// The pair's number; nil from a dialect that does not number pairs, which means the present one.
  package var pair: Int?
  /// The name that a foreign dialect has for the connection (`connectionId` of XirSys); native clients have none.
  package var connection: String?

  package init(_ content: Content, pair: Int? = nil, connection: String? = nil) {
    (self.content, self.pair, self.connection) = (content, pair, connection)
  }

  /// Bytes of its texts.
  package var size: Int {
    let text =
      switch content {
      case .offer(let sdp), .answer(let sdp): sdp.utf8.count
      case .candidate(let candidate): candidate.candidate.utf8.count &+ (candidate.mid?.utf8.count ?? 0)
      case .bye: 0
      }
    return text &+ (connection?.utf8.count ?? 0)
  }
}

/// What one end says of its direct connection.
package struct PairReport: Hashable, Sendable {
  package enum Path: String, Hashable, Sendable, CaseIterable {
    case connected
    /// The path carries nothing at present.
    case disconnected
    /// ICE has given up.
    case failed
  }

  package var path: Path
  /// As in `PairMessage`.
  package var pair: Int?

  package init(_ path: Path, pair: Int? = nil) { (self.path, self.pair) = (path, pair) }
}
