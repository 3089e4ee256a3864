import Music
import Testing

@testable import Recording

/// The stretches of talk that a certificate lists, whatever times a journal has.
@Suite struct TalkListTests {
  private func spans(_ notes: [(isOn: Bool, at: Int64)], until end: Int64 = 100_000) -> [Range<Int64>] {
    var list = TalkList()
    for note in notes { list.note(isOn: note.isOn, at: note.at) }
    return list.spans(until: end).map { $0.start.samples..<$0.end.samples }
  }

  @Test func talkBeginsAndEndsAndTheTracksEndEndsIt() {
    #expect(spans([(true, 10), (false, 20), (true, 30)], until: 40) == [10..<20, 30..<40])
    #expect(spans([(true, 10), (true, 12), (false, 20), (false, 25)]) == [10..<20])
  }

  @Test func talkBeforeTheTakeIsNoTalkOfIt() {
    #expect(spans([(true, -300), (false, -100)]).isEmpty)
    #expect(spans([(true, -300), (false, 100)]) == [0..<100])
  }

  /// Journals may come from anywhere.
  @Test func timesThatGoBackMakeNoStretchesThatOverlap() {
    #expect(spans([(true, 50), (false, 90), (true, 10), (false, 60), (true, 70), (false, 95)]) == [50..<90, 90..<95])
  }

  @Test func moreThanALotAreFewerAndLonger() {
    let notes = (0..<6_000).flatMap { [(true, $0 * 10), (false, $0 * 10 + 5)] as [(Bool, Int64)] }
    let found = spans(notes.map { (isOn: $0.0, at: $0.1) })
    #expect(found.count == 4_096 && found.last?.upperBound == 59_995)
  }
}
