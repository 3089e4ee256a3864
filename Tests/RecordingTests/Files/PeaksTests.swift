import TestSupport
import Testing

@testable import Recording

struct PeaksTests {
  @Test func aPixelIsTheLowestAndHighestOf256Samples() {
    var peaks = Peaks(channels: 1)
    var samples = [Float](repeating: 0, count: 512)
    samples[3] = -0.5
    samples[255] = 0.25
    samples[256] = 1
    samples[511] = -1
    peaks.append(samples)
    #expect(peaks.pixels == [-64, 32, -128, 127])
  }

  @Test func channelsAreMerged() {
    var peaks = Peaks(channels: 2)
    peaks.append([Float](repeating: 0, count: 510) + [0.5, -0.75])
    #expect(peaks.pixels == [-96, 64])
  }

  @Test func piecesOfAnySizeGiveTheSamePixels() {
    var generator = SeededRandom(5)
    let samples = (0..<10_000).map { _ in Float.random(in: -1.2...1.2, using: &generator) }
    var whole = Peaks(channels: 2)
    whole.append(samples)
    whole.finish()
    var pieces = Peaks(channels: 2)
    var start = 0
    while start < samples.count {
      let end = min(samples.count, start + 2 * Int.random(in: 1...700, using: &generator))
      pieces.append(Array(samples[start..<end]))
      start = end
    }
    pieces.finish()
    #expect(pieces.pixels == whole.pixels)
    #expect(whole.pixels.count == 2 * 20)
  }

  @Test func nonsenseIsDrawnAsSilence() {
    var peaks = Peaks(channels: 1)
    peaks.append([Float](repeating: .nan, count: 256))
    #expect(peaks.pixels == [0, 0])
  }

  @Test func theFileIsTheOneThatAudiowaveformWrites() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let writer = try PeaksWriter("mix.peaks.dat", in: folder, channels: 1)
    // 2,500 pixels: more than one batch; the last has a single sample.
    try writer.write([Float](repeating: 0.5, count: 256 * 2_499))
    try writer.write([-0.25])
    let finished = try writer.finish()
    let bytes = try folder.read("mix.peaks.dat")
    #expect(bytes.count == 24 + 5_000)
    #expect(finished.size == 5_024)
    let head: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x80, 0xBB, 0, 0, 0, 1, 0, 0, 0xC4, 0x09, 0, 0, 1, 0, 0, 0]
    #expect(Array(bytes.prefix(24)) == head)
    #expect(bytes[24] == 64 && bytes[25] == 64)
    #expect(Array(bytes.suffix(2)) == [UInt8(bitPattern: -32), UInt8(bitPattern: -32)])
  }
}
