/// How much of an export of several passes is done.
struct ProgressMeter {
  private let report: (Double) throws -> Void
  /// Passes altogether, as far as they are known.
  var passes = 1
  private var ended = 0
  private var told = 0.0

  init(report: @escaping (Double) throws -> Void) {
    self.report = report
  }

  /// Tells that so much of the present pass is done, 0 to 1; what is told never goes back.
  mutating func tell(_ part: Double) throws {
    told = max(told, min(1, (Double(ended) + part) / Double(passes)))
    try report(told)
  }

  mutating func endPass() { ended += 1 }
}
