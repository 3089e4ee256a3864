/// What a publisher wants done with its stream; this server treats all alike.
package enum RTMPPublishKind: String, Hashable, Sendable {
  case live, record, append
}
