import TestSupport
import Testing

@testable import Recording

@Suite struct RivalCheckTests {
  /// Plucked notes until 11 s of the take, then one that is held. Of it a copy has lost some frames at 12.5 s: 240 are
  /// nearly a period.
  private func held(losing frames: Int) throws -> AlignmentWindows {
    var sound = VirtualSound.music(20)
    let note = VirtualSound.note(6, of: 196)[0]
    for index in note.indices { sound[0][14 * 48_000 + index] = note[index] }
    var rehearsal = VirtualBackup(sound: sound, lead: 3, length: 14)
    rehearsal.start = 0
    if frames > 0 { rehearsal.losses = [(at: 12.5, frames: frames)] }
    return AlignmentWindows(take: try rehearsal.track(), backup: rehearsal.backup())
  }

  private static let line = DelayCurve(at: 0, delay: 0, slope: 0)
  private static let whole: Range<Int64> = 0..<(14 * 48_000)

  @Test func aNoteThatHidesALossIsLeftToTheNetwork() throws {
    let part = try RivalCheck(held(losing: 240)).certainPart(
      of: Self.whole, isFirst: true, isLast: true, along: Self.line, {})
    #expect(part.lowerBound == 0)
    // Before the loss; as much of the note as shows its period may go, too.
    #expect((11 * 48_000...12 * 48_000 + 24_000).contains(part.upperBound), "\(part)")
  }

  @Test func aNoteThatIsWhereItBelongsStays() throws {
    let part = try RivalCheck(held(losing: 0)).certainPart(
      of: Self.whole, isFirst: true, isLast: true, along: Self.line, {})
    #expect(part == Self.whole)
  }
}
