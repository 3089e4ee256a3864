/// How well music can be played together over a connection.
package enum QualityLevel: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
  case veryGood = 1
  case good = 2
  case fair = 3
  case poor = 4
  case unusable = 5

  package static func < (left: QualityLevel, right: QualityLevel) -> Bool { left.rawValue < right.rawValue }

  /// The word for users.
  package var word: String {
    switch self {
    case .veryGood: "very good"
    case .good: "good"
    case .fair: "fair"
    case .poor: "poor"
    case .unusable: "unusable"
    }
  }

  /// From here on, a listener notices that the music suffers.
  package static let suffering = QualityLevel.fair
}

/// What a level is worse than "very good" for.
package enum QualityCause: String, Hashable, Sendable, Codable, CaseIterable {
  /// No packet arrived at all.
  case absence
  /// Packets were missing when they were first sent.
  case loss
  /// Sound is missing for good.
  case concealment
  case roundTrip
  case jitter
  /// By the client's own words: what it hears has holes.
  case reception

  /// The words for users.
  package var words: String {
    switch self {
    case .absence: "nothing arrived"
    case .loss: "packets lost on the way"
    case .concealment: "sound missing for good"
    case .roundTrip: "long way"
    case .jitter: "uneven arrival"
    case .reception: "holes in what the musician heard"
    }
  }
}

/// The level of a reading and its cause: the worst of the parts decides, and of equally bad ones the first in
/// `QualityCause`.
package struct QualityVerdict: Hashable, Sendable {
  package var level: QualityLevel
  /// Nil for `.veryGood`.
  package var cause: QualityCause?

  /// Where the levels 2 to 5 begin. Music needs far less delay and loss than speech.
  package static let roundTrips = [60.0, 120, 200, 400]
  package static let losses = [0.005, 0.02, 0.05, 0.15]
  package static let jitters = [12.0, 30, 60, 120]

  package init(_ reading: QualityReading) {
    (level, cause) = (.veryGood, nil)
    guard reading.expected > 0 else {
      (level, cause) = (.unusable, .absence)
      return
    }
    note(reading.loss, QualityVerdict.losses, .loss)
    note(reading.silence, QualityVerdict.losses, .concealment)
    // Only where the recorder has no measurement of its own.
    note(reading.roundTrip ?? reading.heard?.roundTrip, QualityVerdict.roundTrips, .roundTrip)
    note(reading.jitter, QualityVerdict.jitters, .jitter)
    note(reading.heard?.loss, QualityVerdict.losses, .reception)
  }

  private mutating func note(_ value: Double?, _ limits: [Double], _ cause: QualityCause) {
    guard let value else { return }
    let found = QualityLevel(rawValue: 1 &+ limits.count(where: { value >= $0 })) ?? .unusable
    if found > level { (level, self.cause) = (found, cause) }
  }
}
