/// Rendered pieces of a placement of which the error bound is not settled, in order.
///
/// A render that is near the music places a piece before all packets have come that tell how well it lies. Its sound does not wait
/// for them; what is stated of it does.
struct UnsettledPieces: Sendable, Codable {
  /// Neighbouring pieces as one.
  struct Span: Sendable, Codable {
    /// The first of them.
    var piece: Placement.Piece
    /// Their length in samples of the time line.
    var frames: Int

    var end: Int64 { piece.start + Int64(frames) }
  }

  /// Length in samples up to which neighbours are joined, 200 ms: the placement moves by microseconds meanwhile.
  private static let longest = 9_600

  private var spans: [Span] = []

  mutating func add(_ piece: Placement.Piece, frames: Int) {
    if let last = spans.last, last.end == piece.start, last.frames + frames <= UnsettledPieces.longest {
      spans[spans.count - 1].frames += frames
    } else {
      spans.append(Span(piece: piece, frames: frames))
    }
  }

  /// Removes and returns the spans that `isDue`, up to the first that is not.
  mutating func take(while isDue: (Span) -> Bool) -> [Span] {
    guard let first = spans.first, isDue(first) else { return [] }
    let count = spans.firstIndex { !isDue($0) } ?? spans.count
    defer { spans.removeFirst(count) }
    return Array(spans[..<count])
  }
}
