/// The tempo and metre of a song along its time line.
package struct TempoMap: Hashable, Sendable, Codable {
  /// The tempo and metre from this position on.
  package struct Change: Hashable, Sendable, Codable {
    package var position: SamplePosition
    /// Beats of `beatUnit` per minute, 10 to 999.
    package var beatsPerMinute: Double
    /// 1 to 64.
    package var beatsPerBar: Int
    /// The note value of a beat: 1, 2, 4, 8, 16, 32 or 64.
    package var beatUnit: Int

    package init(position: SamplePosition, beatsPerMinute: Double, beatsPerBar: Int = 4, beatUnit: Int = 4) {
      self.position = position
      self.beatsPerMinute = beatsPerMinute
      self.beatsPerBar = beatsPerBar
      self.beatUnit = beatUnit
    }
  }

  /// Ascending by position, the first at 0.
  package var changes: [Change]

  package init(changes: [Change]) {
    self.changes = changes
  }

  /// Creates a map with a constant tempo.
  package init(beatsPerMinute: Double, beatsPerBar: Int = 4, beatUnit: Int = 4) {
    changes = [
      Change(position: .zero, beatsPerMinute: beatsPerMinute, beatsPerBar: beatsPerBar, beatUnit: beatUnit)
    ]
  }

  package static let beatsPerMinuteRange = 10.0...999.0
  package static let beatsPerBarRange = 1...64
  package static let beatUnits = [1, 2, 4, 8, 16, 32, 64]
  /// Maximum number of changes per song.
  package static let maximumChanges = 10_000

  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    guard (1...TempoMap.maximumChanges).contains(changes.count) else {
      throw ValueProblem("tempo", "\(changes.count) changes", "1 to \(TempoMap.maximumChanges)")
    }
    guard changes.first?.position == .zero else {
      throw ValueProblem("tempo.position", "\(changes[0].position.seconds) s", "0 for the first change")
    }
    for (before, after) in zip(changes, changes.dropFirst()) where before.position >= after.position {
      throw ValueProblem("tempo.position", "\(after.position.seconds) s", "positions in ascending order")
    }
    for change in changes {
      guard TempoMap.beatsPerMinuteRange.contains(change.beatsPerMinute) else {
        throw ValueProblem("tempo.beatsPerMinute", "\(change.beatsPerMinute)", "10 to 999")
      }
      guard TempoMap.beatsPerBarRange.contains(change.beatsPerBar) else {
        throw ValueProblem("tempo.beatsPerBar", "\(change.beatsPerBar)", "1 to 64")
      }
      guard TempoMap.beatUnits.contains(change.beatUnit) else {
        throw ValueProblem("tempo.beatUnit", "\(change.beatUnit)", "1, 2, 4, 8, 16, 32 or 64")
      }
    }
  }
}
