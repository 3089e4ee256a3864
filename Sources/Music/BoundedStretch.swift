/// A stretch of a track, and the error bound of its position on the take's time line.
package struct BoundedStretch: Hashable, Sendable {
  package var start: SamplePosition
  /// One past its last sample.
  package var end: SamplePosition
  /// Half width of the interval that contains the true position, in milliseconds; nil if unknown.
  package var errorBound: Double?
  /// The reason why the bound is unknown, for users; nil if it is known.
  package var unknownBecause: String?
  /// The basis of the placement, for users: "abs-capture-time", "sender reports", "arrival times".
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

/// In files, an unknown bound is written as infinity: older releases that expect a number then still state nothing
/// false.
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
