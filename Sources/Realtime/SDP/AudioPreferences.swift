import Machines

/// The audio settings that our descriptions request in `a=fmtp` and `a=ptime`.
///
/// The defaults suit music over a good connection: stereo, 256 kbit/s, packets of 10 ms for the shortest delay.
package struct AudioPreferences: Sendable, Hashable {
  /// The range permitted by RFC 7587 §6.1, in bits per second.
  package static let bitrates = 6_000...510_000
  /// The permitted packet lengths in milliseconds: Opus frames up to 60. Longer packets would be fragmented at music
  /// rates; Chromium takes 5 as 10.
  package static let packetTimes = [5, 10, 20, 40, 60]

  /// Mean bitrate in bits per second, clamped to `bitrates`.
  package var maxAverageBitrate: Int {
    didSet { maxAverageBitrate = Self.clamped(maxAverageBitrate) }
  }
  /// Packet length, rounded down to one of `packetTimes`, at least the shortest.
  package var packetTime: MonotonicTime.Span {
    didSet { packetTime = Self.clamped(packetTime) }
  }
  package var stereo: Bool
  /// Whether RED (RFC 2198) comes first: it repairs single losses without a round trip, at twice the bitrate.
  ///
  /// Off by default, because NACK repairs more.
  package var offersRED: Bool
  package var cbr: Bool
  package var inbandFEC: Bool
  /// Whether silence is left out (DTX); off by default, because a recording includes its silence.
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

  /// The packet length in the unit of `a=ptime`.
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
