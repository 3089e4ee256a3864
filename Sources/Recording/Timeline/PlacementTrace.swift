/// Where a stream was placed over time, so that its positions are found on the time line afterwards.
///
/// The last piece alone does not tell: hours before it, a drift of a few ppm more or less is tens of milliseconds.
struct PlacementTrace: Sendable, Codable {
  /// Maximum number of places kept.
  private static let capacity = 1_024

  /// Samples between two places: ten seconds at first, and twice as many whenever there are too many places.
  private var interval: Int64 = 480_000
  /// On the time line, and in the stream; both ascend.
  private var starts = Packed<Int64>()
  private var positions = Packed<Double>()

  /// Records a piece of the time line.
  mutating func note(_ piece: Placement.Piece) {
    if let last = starts.values.last, piece.start - last < interval { return }
    starts.values.append(piece.start)
    positions.values.append(piece.position)
    guard starts.values.count > PlacementTrace.capacity else { return }
    interval *= 2
    let kept = stride(from: 0, to: starts.values.count, by: 2)
    starts.values = kept.map { starts.values[$0] }
    positions.values = kept.map { positions.values[$0] }
  }

  /// The place on the time line of the stream's sample `index`; `last` is the latest piece.
  func timeline(of index: Double, upTo last: Placement.Piece) -> Int64 {
    guard index < last.position, let start = starts.values.first, let position = positions.values.first else {
      return last.timeline(of: index)
    }
    let next = positions.values.firstIndex { $0 > index } ?? positions.values.count
    guard next > 0 else { return Placement.Piece(start: start, position: position, step: 1).timeline(of: index) }
    let (from, at) = (starts.values[next - 1], positions.values[next - 1])
    let (to, end) =
      next < starts.values.count ? (starts.values[next], positions.values[next]) : (last.start, last.position)
    return Placement.Piece(start: from, position: at, step: (end - at) / Double(to - from)).timeline(of: index)
  }
}
