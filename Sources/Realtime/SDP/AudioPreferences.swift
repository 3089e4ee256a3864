import Machines

/// How we wish the musicians' audio: what our descriptions ask for in `a=fmtp` and `a=ptime`.
///
/// The defaults are those of music over a good line: stereo, 256 kbit/s, packets of 10 ms for the shortest delay.
package struct AudioPreferences: Sendable, Hashable {
  /// The rates that RFC 7587 §6.1 allows, in bits per second.
  package static let bitrates = 6_000...510_000
  /// The packet lengths that may be asked for, in milliseconds: Opus frames up to 60. Longer packets arrive torn at
  /// music's rates; Chromium takes 5 as 10.
  package static let packetTimes = [5, 10, 20, 40, 60]

  /// Mean rate in bits per second, held inside `bitrates`.
  package var maxAverageBitrate: Int {
    didSet { maxAverageBitrate = Self.clamped(maxAverageBitrate) }
  }
  /// Packet length; held to the longest of `packetTimes` that is not longer, or the shortest.
  package var packetTime: MonotonicTime.Span {
    didSet { packetTime = Self.clamped(packetTime) }
  }
  package var stereo: Bool
  /// RED (RFC 2198) first: repairs single losses without a round trip, at twice the rate.
  ///
  /// Off, because NACK repairs more.
  package var offersRED: Bool
  package var cbr: Bool
  package var inbandFEC: Bool
  /// Leaving silence out; off, because a recording of silence is silence too.
  package var dtx: Bool

  package init(
    maxAverageBitrate: Int = 256_000, packetTime: MonotonicTime.Span = .milliseconds(10), stereo: Bool = true,
    offersRED: Bool = false, cbr: Bool = true, inbandFEC: Bool = true, dtx: Bool = false
  ) {
    self.maxAverageBitrate = Self.clamped(maxAverageBitrate)
    self.packetTime = Self.clamped(packetTime)
    self.stereo = stereo
    self.offersRED = offersRED
    self.cbr = cbr
    self.inbandFEC = inbandFEC
    self.dtx = dtx
  }

  /// The packet length as `a=ptime` writes it.
  var packetTimeInMilliseconds: Int {
    Int(packetTime.nanoseconds / 1_000_000)
  }

  private static func clamped(_ bitrate: Int) -> Int {
    min(max(bitrate, bitrates.lowerBound), bitrates.upperBound)
  }

  private static func clamped(_ span: MonotonicTime.Span) -> MonotonicTime.Span {
    let permitted = packetTimes.map { MonotonicTime.Span.milliseconds(Int64($0)) }
    return permitted.last { $0 <= span } ?? permitted.first ?? .milliseconds(10)
  }
}
