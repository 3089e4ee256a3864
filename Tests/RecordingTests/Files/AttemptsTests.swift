import Glibc
import Music
import Testing

@testable import Recording

@Suite struct AttemptsTests {
  private struct Fault: Error, CustomStringConvertible {
    var description: String { "a fault" }
  }

  private func withFolder(_ body: (TakeFolder) throws -> Void) throws {
    let scratch = try ScratchFolder()
    try body(try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path))
  }

  @Test func theFourthAttemptIsNotMadeInAnyProcess() throws {
    try withFolder { folder in
      for number in 1...Attempts.limit {
        // Every process reads the count anew.
        let count = AttemptCount("attempts.json", in: folder, by: "jamjar 1")
        try count.begin()
        #expect(count.now.count == number)
        if number > 1 { count.end(Fault()) }
      }
      let exhausted = #expect(throws: AttemptsExhausted.self) {
        try AttemptCount("attempts.json", in: folder, by: "jamjar 1").begin()
      }
      #expect(exhausted?.description == "a fault; 3 attempts were in vain, and there is no other")
    }
  }

  @Test func anotherReleaseStartsAnew() throws {
    try withFolder { folder in
      let old = AttemptCount("attempts.json", in: folder, by: "jamjar 1")
      for _ in 1...Attempts.limit { try old.begin() }
      let new = AttemptCount("attempts.json", in: folder, by: "jamjar 2")
      #expect(new.now.count == 0)
      try new.begin()
      #expect(new.now.count == 1)
    }
  }

  @Test func whatWasStoppedOrHadNoRoomDoesNotCount() throws {
    try withFolder { folder in
      let count = AttemptCount("attempts.json", in: folder, by: "jamjar 1")
      for _ in 0..<5 {
        try count.begin()
        count.end(CancellationError())
        try count.begin()
        count.end(FileProblem(path: "x", operation: .write, code: ENOSPC))
      }
      #expect(count.now.count == 0)
    }
  }

  @Test func aFinishedPieceOfWorkLeavesNoCount() throws {
    try withFolder { folder in
      let count = AttemptCount("attempts.json", in: folder, by: "jamjar 1")
      try count.begin()
      count.clear()
      #expect(try folder.names().isEmpty)
    }
  }

  @Test func aCountThatCannotBeReadIsNone() throws {
    try withFolder { folder in
      let count = AttemptCount("attempts.json", in: folder, by: "jamjar 1")
      for text in ["", "{", #"{"version":1,"count":-7,"software":"jamjar 1"}"#] {
        try folder.write(Array(text.utf8), as: "attempts.json")
        #expect(count.now.count == 0, "\(text)")
      }
    }
  }

  @Test func thePausesGrow() {
    #expect((1...3).map { Attempts.pause(after: $0) } == [2, 8, 32])
  }
}
