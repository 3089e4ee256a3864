import Foundation

/// A time in which none of several fake microphones left a beat out.
struct SteadyTime: Sendable {
  /// In seconds of civil time.
  let begin: Double
  let end: Double
  /// When each microphone's file was begun, as it seems from there, in seconds of civil time.
  let origins: [Double]

  /// The first such time after `start` (seconds of civil time) that lasts `length` seconds; nil where there is none.
  init?(of witnessed: [Witnessed], since start: Double, lasting length: Double) {
    var from = start
    while true {
      let lines = witnessed.compactMap { $0.line(from: from) }
      guard lines.count == witnessed.count, let begin = lines.map(\.begin).max(), let end = lines.map(\.end).min()
      else { return nil }
      if end - begin >= length {
        self.begin = begin
        self.end = end
        origins = lines.map(\.origin)
        return
      }
      // Past the block with which the shortest of them ended.
      from = max(begin, end) + 0.001
    }
  }
}

extension SteadyTime {
  /// Lets musicians whose witnesses are prepared play to `position` seconds of their take, and longer until there is such
  /// a time from now on; nil where the files of their microphones come to an end before.
  ///
  /// Call it when they are connected: a microphone is open, and steady, long before its music arrives.
  static func playing(
    _ musicians: [(microphone: Microphone, page: Page)], to position: Double = 8, lasting length: Double
  ) async throws -> SteadyTime? {
    let start = Date().timeIntervalSince1970
    for played in stride(from: position, to: Microphone.length - 5, by: 2) {
      try await musicians.first?.page.untilJournaled(played)
      var witnessed: [Witnessed] = []
      for (microphone, page) in musicians {
        witnessed.append(try microphone.witnessed(try await page.witness()))
      }
      if let steady = SteadyTime(of: witnessed, since: start, lasting: length) { return steady }
    }
    return nil
  }
}
