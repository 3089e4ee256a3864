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
