/// One row of a take's quality track: a reading with its place on the time line.
package struct QualityRow: Hashable, Sendable {
  package var start: SamplePosition
  /// One past its last sample.
  package var end: SamplePosition
  package var reading: QualityReading

  package init(start: SamplePosition, end: SamplePosition, reading: QualityReading) {
    (self.start, self.end, self.reading) = (start, end, reading)
  }

  package var verdict: QualityVerdict { QualityVerdict(reading) }

  /// The same with the samples that `gaps` of the finished track say are missing, in place of the estimate.
  package func counting(_ gaps: some Sequence<Gap>) -> QualityRow {
    var row = self
    row.reading.duration = (end.samples &- start.samples).seconds
    row.reading.concealed = gaps.reduce(into: 0) { sum, gap in
      let (from, to) = (max(gap.start.samples, start.samples), min(gap.end, end.samples))
      if from < to { sum &+= Int(clamping: to &- from) }
    }
    return row
  }
}

extension Gap {
  /// One past its last sample.
  fileprivate var end: Int64 { start.samples &+ length.samples }
}

extension Int64 {
  /// So many samples, in seconds.
  fileprivate var seconds: Double { Double(self) / Double(SamplePosition.rate) }
}

extension QualityRow: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, end, level, cause, roundTrip, jitter, expected, missed, lost, concealed, dbfs, heard
  }

  /// In seconds, with the verdict: people and programs read these files.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(start.seconds, forKey: .start)
    try values.encode(end.seconds, forKey: .end)
    try values.encode(verdict.level, forKey: .level)
    try values.encodeIfPresent(verdict.cause, forKey: .cause)
    try values.encodeIfPresent(reading.roundTrip, forKey: .roundTrip)
    try values.encodeIfPresent(reading.jitter, forKey: .jitter)
    try values.encode(reading.expected, forKey: .expected)
    try values.encode(reading.missed, forKey: .missed)
    try values.encode(reading.lost, forKey: .lost)
    try values.encode(reading.concealed, forKey: .concealed)
    try values.encodeIfPresent(reading.dbfs, forKey: .dbfs)
    try values.encodeIfPresent(reading.heard, forKey: .heard)
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func position(_ key: CodingKeys) throws -> SamplePosition {
      guard let position = SamplePosition(seconds: try values.decode(Double.self, forKey: key)) else {
        throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: "no time of a take")
      }
      return position
    }
    (start, end) = (try position(.start), try position(.end))
    reading = QualityReading(
      duration: (end.samples &- start.samples).seconds,
      roundTrip: try values.decodeIfPresent(Double.self, forKey: .roundTrip),
      jitter: try values.decodeIfPresent(Double.self, forKey: .jitter),
      expected: try values.decode(Int.self, forKey: .expected), missed: try values.decode(Int.self, forKey: .missed),
      lost: try values.decode(Int.self, forKey: .lost), concealed: try values.decode(Int.self, forKey: .concealed),
      dbfs: try values.decodeIfPresent(Double.self, forKey: .dbfs),
      heard: try values.decodeIfPresent(HeardQuality.self, forKey: .heard))
  }
}

/// A track's quality in short, for the manifest: how much of it was at which level, and where the music suffered.
package struct QualitySummary: Hashable, Sendable, Codable {
  /// A stretch at one level, for one cause.
  package struct Stretch: Hashable, Sendable, Codable {
    package var start: SamplePosition
    package var end: SamplePosition
    package var level: QualityLevel
    package var cause: QualityCause
  }

  /// Most stretches listed. All rows are in a file of their own.
  private static let maximum = 64
  /// Stretches this near to each other are one, in samples: a row may end a moment before the next begins.
  private static let seam = SamplePosition.rate / 2

  package var track: TrackID
  /// Samples at the levels 1 to 5.
  package var levels: [SamplePosition]
  /// In order; at most the 64 worst.
  package var stretches: [Stretch]

  package init(of rows: [QualityRow], track: TrackID) {
    self.track = track
    var samples = QualityLevel.allCases.map { _ in Int64(0) }
    var found: [Stretch] = []
    for row in rows {
      let verdict = row.verdict
      samples[verdict.level.rawValue &- 1] &+= row.end.samples &- row.start.samples
      guard verdict.level >= .suffering, let cause = verdict.cause else { continue }
      if let last = found.indices.last, found[last].level == verdict.level, found[last].cause == cause,
        row.start.samples &- found[last].end.samples <= QualitySummary.seam
      {
        found[last].end = row.end
      } else {
        found.append(Stretch(start: row.start, end: row.end, level: verdict.level, cause: cause))
      }
    }
    levels = samples.map { SamplePosition($0) }
    stretches = found.count <= QualitySummary.maximum ? found : QualitySummary.worst(of: found)
  }

  private static func worst(of stretches: [Stretch]) -> [Stretch] {
    let ranked = stretches.sorted { left, right in
      left.level != right.level ? left.level > right.level : left.length > right.length
    }
    return ranked.prefix(maximum).sorted { $0.start < $1.start }
  }
}

extension QualitySummary {
  /// Checks what files say.
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    guard levels.count == QualityLevel.allCases.count else {
      throw ValueProblem("levels of the quality of a track", "\(levels.count) numbers", "5 numbers")
    }
    guard levels.allSatisfy({ $0.samples >= 0 }), stretches.allSatisfy({ $0.start <= $0.end }) else {
      throw ValueProblem("quality of a track", "shorter than nothing", "stretches that end after their beginnings")
    }
  }
}

extension QualitySummary.Stretch {
  fileprivate var length: Int64 { end.samples &- start.samples }
}
