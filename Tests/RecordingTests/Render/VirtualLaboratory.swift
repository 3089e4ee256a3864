import Music
import TestSupport

@testable import Recording

/// Renders scenarios of the laboratory in virtual time and without sound, as the service does: while the take rolls, and
/// again with hindsight where that is better.
struct VirtualLaboratory {
  private let performance: VirtualPerformance

  /// - Parameter standstill: when the recorder stands still, in seconds from the scenario's beginning.
  init(_ scenario: Scenario, standstill: Range<Double>? = nil) throws {
    var performance = try VirtualPerformance(scenario)
    if let standstill { performance.stopRecorder(from: standstill.lowerBound, to: standstill.upperBound) }
    self.performance = performance
  }

  /// What is not as promised; empty where all is.
  func broken() throws -> [String] {
    let options = RenderOptions(makesMix: false)
    let examination = Examination(header: performance.header, options: options)
    for frame in performance.frames { try examination.handle(frame) }
    let refinement = try examination.finish()
    let first = try findings(options)
    guard refinement.isWorthwhile else { return first.flatMap { $0.broken(isFinal: true) } }
    var refined = options.withHindsight
    refined.lines = examination.lines
    return first.flatMap { $0.broken(isFinal: false) }.map { "at first: " + $0 }
      + (try findings(refined).flatMap { $0.broken(isFinal: true) })
  }

  private func findings(_ options: RenderOptions) throws -> [TrackFinding] {
    let render = RollingRender(header: performance.header, options: options.examining, sink: DiscardingSink())
    var places: [Int: [UInt64: Double]] = [:]
    func collect() {
      for track in render.tracks {
        for packet in track.takePlayed() {
          let key = UInt64(packet.source) << 16 | UInt64(packet.sequence)
          // What is decoded lags behind capture by the encoder's look-ahead.
          places[track.number, default: [:]][key] = Double(packet.place + Int64(OpusPacket.encoderLookahead))
        }
      }
    }
    for frame in performance.frames {
      try render.handle(frame)
      collect()
    }
    let length = try render.finish().samples
    collect()
    return performance.scenario.musicians.indices.map { index in
      let track = render.tracks.first { $0.number == index + 1 }
      return performance.finding(
        index, places: places[index + 1] ?? [:], gaps: track?.gaps ?? [], report: track?.report, length: length)
    }
  }
}
