import Glibc

/// By how much a sender's capture times are late, as far as its reports prove it.
///
/// A packet leaves once its last sample was captured, and a sender report at the instant that it tells. So by capture
/// times that are right no report is slower than the packets. If all reports are slower than chance explains, the capture
/// times are late by the rest: Chromium's are about 9 ms late, with a fake device.
struct CaptureLateness: Hashable, Sendable, Codable {
  /// Number of reports used: a minute and a half of Chromium's.
  private static let capacity = 16
  /// Number of packets to compare with, out of those at hand.
  private static let packets = 256
  /// Chance that reports which are right count as slower than the packets.
  private static let chance = 0.05

  /// Of the last reports, in seconds.
  private var excesses: [Double] = []
  /// By how much capture times are late at least, in seconds.
  private(set) var certain = 0.0

  /// Adds a report that took longer than the quickest packets by `excess` seconds, by capture times. Negative if it was
  /// quicker.
  ///
  /// - Parameter others: by how much each packet of the last seconds took longer, in seconds, in any order.
  mutating func note(excess: Double, besides others: [Double]) {
    excesses.append(excess)
    if excesses.count > CaptureLateness.capacity { excesses.removeFirst() }
    guard let least = excesses.min(), !others.isEmpty else { return }
    let step = max(1, others.count / CaptureLateness.packets)
    var usual = stride(from: 0, to: others.count, by: step).map { others[$0] }
    usual.sort()
    // Of packets, this share is quicker than the quickest of as many reports can be expected to be.
    let share = 1 - pow(CaptureLateness.chance, 1 / Double(excesses.count))
    certain = max(0, least - usual[min(usual.count - 1, Int(share * Double(usual.count)))])
  }
}
