/// Stretches of a take in which the microphone stalled, so that a backup lacks them; with these cut out, the two
/// match.
struct TakeCuts: Hashable, Sendable {
  /// A stretch that remains: its first sample in the take and in the cut version.
  private struct Piece: Hashable, Sendable {
    var take: Int64
    var compact: Int64
    var length: Int64
  }

  private let pieces: [Piece]
  /// Number of samples that remain.
  let length: Int64

  /// - Parameter stretches: in samples of a take of `length` samples, in any order.
  init(_ stretches: [Range<Int64>], of length: Int64) {
    var pieces: [Piece] = []
    var (start, compact): (Int64, Int64) = (0, 0)
    for stretch in Coverage.union(stretches.map { $0.clamped(to: 0..<length) }) {
      if stretch.lowerBound > start {
        pieces.append(Piece(take: start, compact: compact, length: stretch.lowerBound - start))
        compact += stretch.lowerBound - start
      }
      start = stretch.upperBound
    }
    if start < length {
      pieces.append(Piece(take: start, compact: compact, length: length - start))
      compact += length - start
    }
    (self.pieces, self.length) = (pieces, compact)
  }

  /// The take's samples that correspond to `range` of the cut version, sorted by position.
  func ranges(of range: Range<Int64>) -> [Range<Int64>] {
    pieces[index(reaching: Double(range.lowerBound))...].prefix { $0.compact < range.upperBound }.map { piece in
      let part = range.clamped(to: piece.compact..<(piece.compact + piece.length))
      return (part.lowerBound + piece.take - piece.compact)..<(part.upperBound + piece.take - piece.compact)
    }
  }

  /// The position in the take of a position in the cut version; extrapolated before its beginning and after its end.
  func place(of compact: Double) -> Double {
    let index = index(reaching: compact)
    guard let piece = index < pieces.count ? pieces[index] : pieces.last else { return compact }
    return compact + Double(piece.take - piece.compact)
  }

  /// The first piece that ends after a position in the cut version.
  private func index(reaching compact: Double) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if Double(pieces[middle].compact + pieces[middle].length) > compact { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Converts a mapping of the cut version to one of the take itself.
  func expand(_ mapping: BackupMapping) -> BackupMapping {
    BackupMapping(
      stretches: mapping.stretches.flatMap { stretch -> [BackupMapping.Stretch] in
        var start = stretch.start
        return ranges(of: stretch.start..<max(stretch.start, stretch.end)).map { range in
          defer { start += Int64(range.count) }
          let part = stretch.part(start..<(start + Int64(range.count)))
          return part.moved(by: range.lowerBound - start)
        }
      })
  }
}

/// Sets of stretches of a take, in samples.
package enum Coverage {
  /// The same samples as sorted stretches that neither overlap nor touch.
  package static func union(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = found.last, range.lowerBound <= last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        found.append(range)
      }
    }
    return found
  }

  /// Total samples of stretches that do not overlap.
  package static func length(_ ranges: [Range<Int64>]) -> Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
