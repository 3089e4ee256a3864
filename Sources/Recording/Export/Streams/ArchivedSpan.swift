// Arithmetic in this file is in range: positions are those of takes, which are bounded where they are read.

import Machines
import Music

/// A span of an archive together with its finished take.
struct ArchivedSpan {
  let order: StreamArchiveOrder.Span
  let folder: TakeFolder
  let manifest: Manifest
  /// On the take's time line.
  let range: Range<Int64>
  /// Where it begins on the archive's time line.
  let base: Int64

  /// The spans whose takes have sound there, in order, without gaps between them.
  /// - Throws: `FileProblem` if a take has no manifest.
  static func all(_ spans: [StreamArchiveOrder.Span], in folders: [TakeFolder]) throws(FileProblem) -> [ArchivedSpan] {
    var all: [ArchivedSpan] = []
    var base: Int64 = 0
    for (span, folder) in zip(spans, folders) {
      let manifest = try Manifest(of: folder)
      let length = manifest.length.samples
      let start = min(max(0, span.from.samples), length)
      let end = min(max(start, span.to?.samples ?? length), length)
      guard start < end else { continue }
      all.append(
        ArchivedSpan(order: span, folder: folder, manifest: manifest, range: start..<end, base: base))
      base += end - start
    }
    return all
  }

  /// The place of a position of the take on the archive's time line.
  func place(of position: Int64) -> Int64 { base + position - range.lowerBound }

  /// The part of a stretch of wall time that lies in the span, on the archive's time line; nil for none.
  func part(from start: WallTime, to end: WallTime?) -> Range<Int64>? {
    let first = max(range.lowerBound, position(of: start))
    let last = min(range.upperBound, end.map { position(of: $0) } ?? .max)
    return first < last ? place(of: first)..<place(of: last) : nil
  }

  private func position(of time: WallTime) -> Int64 {
    let seconds = (time - manifest.take.startedAt) / Duration.seconds(1)
    return Int64(saturating: (max(-1e9, min(1e9, seconds)) * Double(SamplePosition.rate)).rounded())
  }

  func permits(_ participant: ParticipantID) -> Bool { order.only?.contains(participant) ?? true }
}
