/// A time in which none of several fake microphones left a beat out.
struct SteadyTime: Sendable {
  /// In seconds of civil time.
  let begin: Double
  let end: Double
  /// When each microphone's file was begun, as it seems from there, in seconds of civil time.
  let origins: [Double]

  /// The first such time that lasts `length` seconds; nil where there is none.
  init?(of witnessed: [Witnessed], lasting length: Double) {
    var from = 0.0
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
