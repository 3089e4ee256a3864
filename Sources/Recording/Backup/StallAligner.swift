import Music

/// Aligns a backup with a track whose microphone stalled now and then.
///
/// Usually the browser was short of time, and neither sent nor kept what it missed. Both sounds then match with these
/// stretches cut out, however close together they lie. But the sender may also have paused while the backup went on.
struct StallAligner {
  private let take: any SoundSource
  private let backup: any SoundSource
  private let expected: Double?
  private let stalls: [Range<Int64>]

  /// - Parameter gaps: gaps of the track; only stalls are considered.
  init(take: any SoundSource, backup: any SoundSource, expected: Double?, gaps: [Gap]) {
    (self.take, self.backup, self.expected) = (take, backup, expected)
    stalls = gaps.filter { $0.cause == .captureStall && $0.length.samples > 0 }.map {
      $0.start.samples..<($0.start.samples + $0.length.samples)
    }
  }

  /// - Parameter proceed: called regularly; an error it throws stops the work.
  /// - Throws: `BackupRefusal`, and any error of the sources and of `proceed`.
  func align(_ proceed: () throws -> Void) throws -> BackupAlignment {
    guard !stalls.isEmpty else { return try align(without: [], proceed) }
    let first: BackupAlignment
    do {
      first = try align(without: stalls, proceed)
    } catch is BackupRefusal {
      return try align(without: [], proceed)
    }
    let lacking = stalls.filter { !hasSound(in: $0, first.mapping) }
    guard lacking.count < stalls.count else { return first }
    do {
      let second = try align(without: lacking, proceed)
      return second.mapping.covered > first.mapping.covered ? second : first
    } catch is BackupRefusal {
      return first
    }
  }

  private func align(without stalls: [Range<Int64>], _ proceed: () throws -> Void) throws -> BackupAlignment {
    let cuts = TakeCuts(stalls, of: take.frameCount)
    let sound = stalls.isEmpty ? take : CutSource(take, cuts)
    var alignment = try BackupAligner(take: sound, backup: backup, expected: expected).align(proceed)
    alignment.offset = cuts.place(of: alignment.offset * BackupAligner.rate) / BackupAligner.rate
    alignment.mapping = cuts.expand(alignment.mapping)
    return alignment
  }

  /// True if the backup continued through most of a stall, that is, has extra sound between what precedes and follows
  /// it.
  private func hasSound(in stall: Range<Int64>, _ mapping: BackupMapping) -> Bool {
    guard let before = mapping.stretches.last(where: { $0.end <= stall.lowerBound }),
      let after = mapping.stretches.first(where: { $0.start >= stall.upperBound })
    else { return false }
    let (start, end) = (Double(stall.lowerBound), Double(stall.upperBound))
    let frames = after.position(of: end) - before.position(of: start)
    return frames / Double(backup.rate) > (end - start) / BackupAligner.rate / 2
  }
}

/// A take's sound without its cuts.
final class CutSource: SoundSource {
  private let source: any SoundSource
  private let cuts: TakeCuts

  init(_ source: any SoundSource, _ cuts: TakeCuts) {
    (self.source, self.cuts) = (source, cuts)
  }

  var channels: Int { source.channels }
  var rate: Int { source.rate }
  var frameCount: Int64 { cuts.length }

  func read(from first: Int64, frames: Int) throws -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(frames * channels)
    for range in cuts.ranges(of: first..<(first + Int64(frames))) {
      samples += try source.read(from: range.lowerBound, frames: range.count)
    }
    return samples
  }
}
