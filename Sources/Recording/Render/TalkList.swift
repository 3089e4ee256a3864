import Music

/// The stretches of a track that are talk, from the journal's frames.
///
/// The recorder writes them between packets, so they begin and end where the sound that came before them does.
struct TalkList: Codable {
  /// Most stretches listed; later ones join the last.
  private static let maximum = 4_096

  private var spans: [SampleSpan] = []
  private var begin: Int64?

  mutating func note(isOn: Bool, at position: Int64) {
    if isOn {
      begin = begin ?? position
    } else if let begin {
      add(begin, position)
      self.begin = nil
    }
  }

  /// All of them, of a track that ends at sample `end`.
  func spans(until end: Int64) -> [SampleSpan] {
    var list = self
    list.note(isOn: false, at: end)
    return list.spans
  }

  /// Spans lie within the take and in order, whatever times a journal has.
  private mutating func add(_ start: Int64, _ end: Int64) {
    let start = max(start, spans.last?.end.samples ?? 0)
    guard start < end else { return }
    if spans.count == TalkList.maximum {
      spans[spans.count - 1].end = SamplePosition(end)
    } else {
      spans.append(SampleSpan(start: SamplePosition(start), end: SamplePosition(end)))
    }
  }
}
