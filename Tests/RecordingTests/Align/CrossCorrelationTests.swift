import Recording
import TestSupport
import Testing

@Suite struct CrossCorrelationTests {
  @Test(arguments: [0, 1, -7, 333, -1_200, 2_345])
  func findsAWholeLag(lag: Int) throws {
    let signal = VirtualSignal()
    let played = signal.samples(from: 10_000, count: 24_000)
    let recorded = signal.samples(from: 10_000 - lag, count: 24_000)
    let match = try #require(CrossCorrelation.align(recorded, to: played, maximumLag: 2_400))
    #expect(abs(match.lag - Double(lag)) < 0.05)
    #expect(match.coefficient > 0.999)
  }

  @Test func findsWhatLiesBetweenSamples() throws {
    let signal = VirtualSignal(tempo: 6)
    let played = (0..<24_000).map { signal.sample(Double($0) / 48_000, channel: 0) }
    let recorded = (0..<24_000).map { signal.sample((Double($0) - 50.4) / 48_000, channel: 0) }
    let match = try #require(CrossCorrelation.align(recorded, to: played, maximumLag: 480))
    #expect(abs(match.lag - 50.4) < 0.1)
  }

  @Test func levelAndLittleNoiseDoNotMatter() throws {
    var random = SeededRandom(4)
    let played = VirtualSignal().samples(from: 0, count: 24_000)
    let recorded = VirtualSignal().samples(from: -100, count: 24_000).map {
      0.1 * $0 + Float(random.unit() - 0.5) * 0.002
    }
    let match = try #require(CrossCorrelation.align(recorded, to: played, maximumLag: 1_000))
    #expect(abs(match.lag - 100) < 0.5)
  }

  @Test func silenceFitsNowhere() {
    let silence = [Float](repeating: 0, count: 9_600)
    #expect(CrossCorrelation.align(silence, to: silence, maximumLag: 480) == nil)
    #expect(CrossCorrelation.align([], to: [], maximumLag: 480) == nil)
    #expect(CrossCorrelation.align([1], to: [1, 2, 3], maximumLag: 0) == nil)
  }
}
