/// Whether what a sender says of how long it held our reports is likely.
///
/// A round trip is what we measured (from our report to its answer) less what only the sender knows (how long it held the
/// report). Senders answer at times of their own, so that now and then they answer almost at once. One that claims never to
/// have done so may overstate by as much as the shortest time that it claims.
struct AnswerTrust: Hashable, Sendable {
  /// Times between our reports, over which honest times of holding spread, in seconds: at least, and as much as is believed.
  private static let usual = 1.0...5.0
  /// An honest sender looks like one that overstates in one case of a thousand: e to this power.
  private static let certainty = 6.9

  private var count = 0.0
  private var least = Double.infinity
  private var greatest = 0.0

  mutating func add(held: Double) {
    count += 1
    least = min(least, held)
    greatest = max(greatest, held)
  }

  /// By how much the round trip may be longer than the sender's word says, in seconds; 0 where its word is likely.
  var doubt: Double {
    let spread = min(max(greatest, AnswerTrust.usual.lowerBound), AnswerTrust.usual.upperBound)
    // The chance that none of so many is shorter is (1 - least / spread) to the power of their number, or less than this.
    return count > 0 && count * least / spread > AnswerTrust.certainty ? least : 0
  }
}
