import Testing

@testable import Recording

@Suite struct UnsettledPiecesTests {
  private func piece(_ start: Int64) -> Placement.Piece {
    Placement.Piece(start: start, position: Double(start) + 0.5, step: 1)
  }

  private func pieces(_ starts: [Int64], frames: Int = 960) -> UnsettledPieces {
    var pieces = UnsettledPieces()
    for start in starts { pieces.add(piece(start), frames: frames) }
    return pieces
  }

  @Test func whatIsSettledAtOnceStaysInPieces() {
    var pieces = UnsettledPieces()
    for start in stride(from: Int64(0), to: 9_600, by: 960) {
      pieces.add(piece(start), frames: 960)
      let spans = pieces.take { $0.end <= start + 960 }
      #expect(spans.map(\.piece) == [piece(start)] && spans.map(\.frames) == [960])
    }
    #expect(pieces.take { _ in true }.isEmpty)
  }

  @Test func neighboursAreJoinedUpToAFifthOfASecond() {
    var pieces = pieces(Array(stride(from: 480, to: 480 + 20 * 960, by: 960)))
    let spans = pieces.take { _ in true }
    #expect(spans.map(\.piece) == [piece(480), piece(10_080)])
    #expect(spans.map(\.end) == [10_080, 19_680])
  }

  @Test func whatIsNotDueIsKept() {
    var pieces = pieces(Array(stride(from: 0, to: 30 * 960, by: 960)))
    #expect(pieces.take { $0.end < 9_600 }.isEmpty)
    #expect(pieces.take { $0.end <= 19_200 }.map(\.end) == [9_600, 19_200])
    #expect(pieces.take { _ in true }.map(\.end) == [28_800])
  }

  @Test func piecesOnBothSidesOfAHoleAreNotJoined() {
    var pieces = pieces([0, 960, 2_880])
    #expect(pieces.take { _ in true }.map(\.end) == [1_920, 3_840])
  }
}
