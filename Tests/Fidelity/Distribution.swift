/// Values of which quantiles are asked.
struct Distribution {
  private var values: [Double] = []

  init(_ values: [Double] = []) {
    self.values = values
  }

  var count: Int { values.count }
  var highest: Double { values.max() ?? .nan }

  mutating func add(_ value: Double) { values.append(value) }
  mutating func add(_ others: [Double]) { values += others }

  /// The value below which the share `share` lies, not a number without any.
  func quantile(_ share: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    return values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
  }
}
