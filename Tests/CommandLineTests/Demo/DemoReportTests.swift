import Recording
import Testing

@testable import jamjar

@Suite struct DemoReportTests {
  /// A part as it comes through Opus: its left channel, from `start` samples on.
  private func recorded(_ samples: [Float], from start: Int) throws -> [Float] {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 128_000))
    let decoder = try OpusDecoder(channels: 2)
    var track = [Float](repeating: 0, count: start)
    var block = [Float](repeating: 0, count: 5_760 * 2)
    for first in stride(from: 0, to: samples.count - 1_919, by: 1_920) {
      let packet = try encoder.encode(Array(samples[first..<first + 1_920]))
      let frames = try block.withUnsafeMutableBufferPointer { try decoder.decode(packet[...], into: $0) }
      track += (0..<frames).map { block[2 * $0] }
    }
    return track
  }

  /// The drums repeat themselves after 1.25 s, and the bass has a period of 18 ms.
  @Test(arguments: [3, 5]) func partsOfAShortDemoAreFoundInTheirPlaces(seconds: Int) throws {
    // The encoder's look-ahead.
    let (start, delay) = (9_072, 312)
    for part in DemoPiece.parts(seconds: seconds) {
      let played = stride(from: 0, to: part.samples.count, by: 2).map { part.samples[$0] }
      let match = try #require(
        DemoReport.match(try recorded(part.samples, from: start), to: played, from: Double(start) / 48_000))
      #expect(abs(match.lag - Double(start + delay)) < 5, "\(part.instrument): \(match)")
      #expect(match.coefficient > 0.95, "\(part.instrument): \(match)")
    }
  }
}
