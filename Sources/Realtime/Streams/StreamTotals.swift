/// What several streams of one peer counted together.
struct StreamTotals: Sendable, Hashable {
  private(set) var packets: Int64 = 0
  private(set) var payloadBytes: Int64 = 0
  private(set) var lost: Int64 = 0
  private(set) var repairs: Int64 = 0
  private(set) var duplicates: Int64 = 0
  private(set) var requests = 0
  /// How often their senders began their numbers anew.
  private(set) var restarts = 0

  mutating func add(_ stream: StreamReceiver) {
    packets &+= stream.statistics.packets
    payloadBytes &+= stream.statistics.payloadBytes
    lost &+= stream.statistics.lost
    repairs &+= stream.statistics.repairs
    duplicates &+= stream.statistics.duplicates
    requests &+= stream.nacks.counts.requests
    restarts &+= stream.segment
  }
}
