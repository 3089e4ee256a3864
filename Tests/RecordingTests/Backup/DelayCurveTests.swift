import Testing

@testable import Recording

@Suite struct DelayCurveTests {
  @Test func aCurveOfOneReadingIsNotMeasuredAndOneOfTwoLinesBends() {
    let points = (0..<3).map { LineFit.Point(time: Double($0) * 48_000, delay: Double($0), deviation: 0.01) }
    let line = DelayCurve(LineFit.lines(through: points)[0], through: points)
    var curve = DelayCurve(at: -48_000, delay: 5, slope: 0)
    #expect(!curve.isMeasured && !curve.bends && line.isMeasured && !line.bends)
    curve.append(line)
    #expect(curve.isMeasured && curve.bends)
  }
}
