import Foundation
import FuzzServerTargets
import FuzzTargets
import TestSupport
import Testing

/// The smoke of `script/fuzz`: the same targets with fixed runs. A trap ends the whole test run; the target that it came
/// from is then the one whose case began last.
@Suite struct FuzzTargetTests {
  static let targets = FuzzTarget.all + FuzzTarget.server

  @Test(arguments: targets)
  func theCorpusBreaksNoPromise(target: FuzzTarget) throws {
    let inputs = try FuzzCorpus.inputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs {
      #expect(input.count <= target.longest, "an input of \(input.count) bytes is never run")
      try target.run(input)
    }
    try target.run([])
  }

  @Test(arguments: targets, FuzzSeeds.upTo(1))
  func mutationsOfTheCorpusBreakNoPromise(target: FuzzTarget, seed: UInt64) throws {
    let inputs = try FuzzCorpus.inputs(of: target)
    var generator = SeededRandom(seed)
    for _ in 0..<FuzzCorpus.mutations(of: target) {
      let bytes = FuzzCorpus.mutation(of: inputs, using: &generator)
      do {
        try target.run(bytes)
      } catch {
        Issue.record("\(error); the input in base64: \(Data(bytes).base64EncodedString())")
        return
      }
    }
  }

  @Test func everyTargetHasAFolderInTheCorpusAndEveryFolderATarget() throws {
    #expect(try FuzzCorpus.folders() == Set(FuzzTargetTests.targets.map(\.name)))
    #expect(Set(FuzzTargetTests.targets.map(\.name)).count == FuzzTargetTests.targets.count)
  }

  /// `script/fuzz` builds the server only for these.
  @Test func onlyTargetsOfTheServerAreCalledHTTP() {
    #expect(FuzzTarget.server.allSatisfy { $0.name.hasPrefix("http-") })
    #expect(!FuzzTarget.all.contains { $0.name.hasPrefix("http-") })
  }

  @Test func aBrokenPromiseIsAFinding() {
    let target = FuzzTarget("even") { try promise($0.count.isMultiple(of: 2), "\($0.count) bytes") }
    #expect(throws: Never.self) { try target.run([1, 2]) }
    #expect(throws: FuzzFault.self) { try target.run([1]) }
  }
}
