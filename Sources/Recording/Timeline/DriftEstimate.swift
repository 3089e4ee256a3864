/// How fast a sender's clock runs against ours, from arrivals and from its own words.
struct DriftEstimate: Sendable, Codable {
  /// Expected drift of a sound card's clock before any measurement: one standard deviation.
  private static let usualDrift = 100e-6
  /// The same if the drift was measured on an earlier stream of the same musician.
  private static let knownDrift = 10e-6
  /// The same for the sender's wall clock, which most machines synchronise by NTP.
  private static let usualClock = 30e-6
  /// Fine bins (seconds) before the first estimate, and between estimates.
  private static let firstFit = 8
  private static let fitInterval = 4
  private static let coarseFitInterval = 8
  /// Coarse bins (of eight seconds) from which they determine the slope.
  private static let firstCoarseFit = 12

  /// A value, and its uncertainty.
  private struct Estimate: Codable {
    var value: Double
    var variance: Double

    /// Combines two estimates, weighted by their certainty.
    mutating func join(_ other: Estimate) {
      let share = variance / (variance + other.variance)
      value += (other.value - value) * share
      variance *= 1 - share
    }
  }

  private let prior: Estimate
  private var fits = 0
  /// Change of the residual per second of media: the negative drift.
  var slope: Double
  /// One standard deviation.
  private(set) var spread: Double
  /// Contradiction between the rate of the sender's own pairs and that of the arrivals, beyond their possible errors.
  private(set) var contradiction = 0.0

  /// Starts without knowledge, or with that of an earlier stream of the musician.
  init(after earlier: DriftEstimate?) {
    slope = earlier?.slope ?? 0
    spread = earlier.map { max(DriftEstimate.knownDrift, $0.spread) } ?? DriftEstimate.usualDrift
    prior = Estimate(value: slope, variance: spread * spread)
  }

  /// To be called after each fine bin.
  mutating func fit(_ envelope: LowerEnvelope, _ references: CaptureReferences) {
    fits += 1
    let usesCoarse = envelope.coarse.count >= DriftEstimate.firstCoarseFit
    let interval = usesCoarse ? DriftEstimate.coarseFitInterval : DriftEstimate.fitInterval
    guard fits >= DriftEstimate.firstFit, fits % interval == 0,
      let line = TheilSen.fit(usesCoarse ? envelope.coarse : envelope.fine)
    else { return }
    var estimate = prior
    let measured = Estimate(value: line.slope, variance: line.uncertainty * line.uncertainty)
    contradiction = 0
    // The sender's own pairs are free of network jitter, but their clock may be wrong as well.
    if let reported = references.rate, abs(reported.slope) < SenderClock.greatestDrift {
      let variance = reported.uncertainty * reported.uncertainty + DriftEstimate.usualClock * DriftEstimate.usualClock
      let difference = abs(reported.slope - line.slope) - 3 * (variance + measured.variance).squareRoot()
      if difference <= 0 {
        estimate.join(Estimate(value: reported.slope, variance: variance))
      } else {
        contradiction = difference
      }
    }
    estimate.join(measured)
    slope = max(-SenderClock.greatestDrift, min(SenderClock.greatestDrift, estimate.value))
    spread = estimate.variance.squareRoot()
  }
}
