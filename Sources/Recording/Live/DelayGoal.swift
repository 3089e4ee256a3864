/// Leads a source's playout delay to the wanted one, so slowly that nobody hears it.
///
/// It counts from the fastest packet, so that the sender's drift moves it along. A fastest packet that is faster by far
/// than the one before is a better path or the first seconds of a source, but no drift: the goal then stays where it is,
/// and returns slowly.
struct DelayGoal: Sendable {
  /// The path as far as it is known, in seconds from the source's origin.
  struct Transits {
    /// The fastest packet.
    var lowest: Double
    /// The slowest that must not be too late.
    var needed: Double
    /// The transit to allow for.
    var wanted: Double
    /// True while `lowest` may still fall.
    var isYoung: Bool
  }

  /// Change of the delay per second: 100 ppm of pitch, a sixth of a cent.
  private static let usualRamp = 100e-6
  /// The same if the buffer would run dry: four cents.
  private static let urgentRamp = 0.0025
  /// A larger change of the fastest transit between two blocks is not drift, in seconds.
  private static let leastStep = 0.001_5

  /// Above the fastest packet, in seconds.
  private var excess: Double
  private var lowest: Double

  init(excess: Double, lowest: Double) {
    (self.excess, self.lowest) = (excess, lowest)
  }

  /// The delay of the next block, which lasts for `interval` seconds, and how much it rises in a second.
  mutating func next(_ transits: Transits, delay: Double, interval: Double) -> (delay: Double, ramp: Double) {
    let step = transits.lowest - lowest
    lowest = transits.lowest
    if transits.isYoung {
      excess = delay - lowest
    } else if abs(step) > DelayGoal.leastStep {
      excess -= step
    }
    let missing = transits.wanted - lowest - excess
    let isDry = transits.needed - lowest > excess
    let most = (isDry && missing > 0 ? DelayGoal.urgentRamp : DelayGoal.usualRamp) * interval
    // A source that has just begun keeps its delay unless sound is at risk.
    let change = transits.isYoung && !isDry ? 0 : min(max(missing, -most), most)
    excess += change
    return (lowest + excess, change / interval)
  }
}
