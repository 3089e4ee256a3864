/// A stretch of a track, and how exactly it is placed on the take's time line.
package struct BoundedStretch: Hashable, Sendable {
  package var start: SamplePosition
  /// The sample behind its last.
  package var end: SamplePosition
  /// Half width of the interval in which the true placement lies, in milliseconds; nil where it is unknown.
  package var errorBound: Double?
  /// Why the bound is unknown, for people; nil where it is known.
  package var unknownBecause: String?
  /// What the placement rests on, for people: "abs-capture-time", "sender reports", "arrival times".
  package var basis: String

  package init(
    start: SamplePosition, end: SamplePosition, errorBound: Double?, unknownBecause: String? = nil, basis: String
  ) {
    self.start = start
    self.end = end
    self.errorBound = errorBound
    self.unknownBecause = unknownBecause
    self.basis = basis
  }
}

extension BoundedStretch: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, end, errorBound, unknownBecause, basis
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    start = try values.decode(SamplePosition.self, forKey: .start)
    end = try values.decode(SamplePosition.self, forKey: .end)
    errorBound = try values.decodeBound(forKey: .errorBound)
    unknownBecause = try values.decodeIfPresent(String.self, forKey: .unknownBecause)
    basis = try values.decode(String.self, forKey: .basis)
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(start, forKey: .start)
    try values.encode(end, forKey: .end)
    try values.encodeBound(errorBound, forKey: .errorBound)
    try values.encodeIfPresent(unknownBecause, forKey: .unknownBecause)
    try values.encode(basis, forKey: .basis)
  }
}

/// In files an unknown bound is an infinite one: releases that knew of numbers only read it, and say nothing untrue.
extension KeyedEncodingContainer {
  mutating func encodeBound(_ bound: Double?, forKey key: Key) throws {
    try encode(bound ?? .infinity, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decodeBound(forKey key: Key) throws -> Double? {
    try decodeIfPresent(Double.self, forKey: key).flatMap { $0.isFinite ? $0 : nil }
  }
}
