/// Limits on input from outside (docs: promises 6 and 7).
package struct ServerLimits: Sendable, Hashable {
  /// Largest body of a request, in bytes.
  package var body = 262_144
  /// Largest piece of an upload, in bytes.
  package var upload = 4 << 20
  /// Largest session description in the body of a request, in bytes.
  package var description = 65_536
  /// All header fields of a request together, in bytes.
  package var headers = 16_384
  /// Header fields of a request.
  package var headerCount = 100
  /// Connections at a time.
  package var connections = 4_096
  /// Connections at a time from one address other than loopback.
  package var connectionsPerAddress = 128
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

  /// RTMP streams converted from or to AAC at a time, each by a process of ffmpeg.
  package var transcoders = 32
  /// The same for one connection.
  package var transcodersPerConnection = 4

  /// Heartbeat interval of a quiet event stream, in milliseconds.
  package var heartbeatInterval: Int64 = 15_000
  /// Time after which a client that does not read its event stream or its RTMP connection is cut off, in milliseconds.
  package var streamStall: Int64 = 30_000

  /// What clients may begin, and how much of it.
  package var quotas = QuotaTable.standard

  package init() {}
}
