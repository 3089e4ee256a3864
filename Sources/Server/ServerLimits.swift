import Signaling

/// Limits on input from outside (docs: promises 6 and 7).
package struct ServerLimits: Sendable, Hashable {
  /// Largest body of a request, in bytes.
  package var body = 262_144
  /// Largest piece of an upload, in bytes.
  package var upload = 4 << 20
  /// Largest file sent as a backing track, in bytes: eleven minutes of 16-bit WAV at 48 kHz.
  package var backing = 128 << 20
  /// Largest session description in the body of a request, in bytes.
  package var description = 65_536
  /// All header fields of a request together, in bytes.
  package var headers = 16_384
  /// Header fields of a request.
  package var headerCount = 100
  /// Connections at a time.
  package var connections = 4_096
  /// Time for TLS and the first request's head, in milliseconds.
  package var handshakeTimeout: Int64 = 10_000
  /// Connections at a time from one address that have shown no valid key or token, if the service has keys.
  package var strangersPerAddress = 32
  /// Time within which a WebSocket or RTMP client has to show a valid key or token, if the service has keys, in
  /// milliseconds.
  package var proofTimeout: Int64 = 15_000
  /// Time for the body of a request without a valid key or token, if the service has keys; otherwise the interval at
  /// which `bodyRate` is checked. In milliseconds.
  package var bodyTimeout: Int64 = 10_000
  /// Least bytes of a body a second.
  package var bodyRate = 1_024
  /// Time without a request after which a connection is closed, in milliseconds.
  package var idleTimeout: Int64 = 30_000

  /// Largest message on a WebSocket, in bytes, in one frame or in fragments.
  package var message = 262_144
  /// Most fragments per message: the largest message in pieces of 1 kB (gorilla/websocket writes pieces of 4 kB by
  /// default).
  package var fragments = 256
  /// Sustained messages a second per link.
  package var messageRate = 20
  /// Burst of messages per link: candidates come in bursts.
  package var messageBurst = 100
  /// The same two for the candidates of a Kurento session, which count apart: three connections of 60 candidates at once.
  package var candidateRate = 60
  package var candidateBurst = 300
  /// Items (messages, events, answers) that may queue inside a link before it is closed as too slow.
  package var mailbox = 256
  /// Bytes of messages that may queue inside a link before it is closed as too slow.
  package var mailboxBytes = 2 << 20
  /// Time between pings, in milliseconds.
  package var pingInterval: Int64 = 20_000
  /// Time after a ping by which the link must have received something, in milliseconds.
  package var pongTimeout: Int64 = 10_000
  /// Time for the other side to answer a close, in milliseconds.
  package var closeTimeout: Int64 = 2_000

  /// Time between heartbeats of a quiet response of SockJS, in milliseconds; the figure of its specification.
  package var sockJSHeartbeat: Int64 = 25_000
  /// Time after which a session of SockJS that no response serves is over, in milliseconds; the same.
  package var sockJSPatience: Int64 = 5_000

  /// Codec workers of RTMP at a time: one for each stream that is no Opus, one for each source heard as AAC.
  package var transcoders = 32
  /// Streams of one connection that are converted.
  package var transcodersPerConnection = 8
  /// Tracks of one stream of RTMP, each a part of its musician.
  package var tracks = 8

  /// Heartbeat interval of a quiet event stream, in milliseconds.
  package var heartbeatInterval: Int64 = 15_000
  /// Time after which a client that does not read its response, event stream or RTMP connection is cut off, in
  /// milliseconds.
  package var streamStall: Int64 = 30_000

  /// What clients may begin, and how much of it.
  package var quotas = QuotaTable.standard

  package init() {}
}

/// Kurento's clients know no limits: what they send too quickly is refused under its identifier, and only what no client
/// sends costs the link.
extension ServerLimits {
  /// The limits of a link of Kurento Room or Kurento Tree.
  var kurento: ServerLimits {
    var limits = self
    limits.messageRate = messageRate + candidateRate
    limits.messageBurst = messageBurst + candidateBurst
    // Every message may be answered before its client reads.
    limits.mailbox = mailbox + limits.messageBurst
    limits.mailboxBytes = 2 * mailboxBytes
    return limits
  }

  /// The rates within a session; its link has room for some more.
  var kurentoRates: JSONRPCRates {
    JSONRPCRates(
      requests: .init(perSecond: messageRate, burst: messageBurst),
      candidates: .init(perSecond: candidateRate, burst: candidateBurst))
  }

  /// A string may be as long as its message.
  var kurentoTexts: JSONLimits { JSONLimits(bytes: message, stringBytes: message) }
}
