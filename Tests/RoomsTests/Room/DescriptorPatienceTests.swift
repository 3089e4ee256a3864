import Glibc
import Machines
import Recording
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct DescriptorPatienceTests {
  @Test func triesAgainUntilThereIsADescriptor() async throws {
    var tries = 0
    // A machine that is busy with other tests may take its time between two tries.
    let number = try await DescriptorPatience.run(within: .seconds(3_600)) { () throws(FileProblem) -> Int in
      tries += 1
      guard tries > 2 else { throw FileProblem(path: "take.journal", operation: .create, code: EMFILE) }
      return tries
    }
    #expect(number == 3)
  }

  @Test func tellsAnythingElseAtOnce() async {
    let full = FileProblem(path: "take.journal", operation: .create, code: ENOSPC)
    var tries = 0
    await #expect(throws: full) {
      try await DescriptorPatience.run { () throws(FileProblem) in
        tries += 1
        throw full
      }
    }
    #expect(tries == 1)
  }
}
