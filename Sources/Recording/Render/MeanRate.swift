/// The mean rate of some packets.
struct MeanRate: Hashable, Sendable, Codable {
  /// Least time between the first packet and the last, in seconds.
  private static let least = 0.5

  private var bytes: Int64 = 0
  private var first: Double?
  private var last = 0.0
  private var lastCount = 0

  /// Adds a packet of `count` bytes that arrived at `time`, in seconds.
  mutating func note(_ count: Int, at time: Double) {
    bytes &+= Int64(count)
    first = min(first ?? time, time)
    guard time >= last else { return }
    (last, lastCount) = (time, count)
  }

  /// In bits a second; nil if there is too little to tell.
  var bitrate: Double? {
    guard let first, last - first >= MeanRate.least else { return nil }
    // The last packet's sound comes after its arrival.
    return Double(bytes &- Int64(lastCount)) * 8 / (last - first)
  }
}
