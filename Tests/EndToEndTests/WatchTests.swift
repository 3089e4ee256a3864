import Foundation
import Testing

extension Counts {
  /// `script/bench watch`: instructions of fixed work, compared with those of script/watch.txt.
  @Suite struct WatchTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("script/bench-watch").path

    /// Other options make other instructions.
    private static let isBuiltAsInCI =
      ProcessInfo.processInfo.environment["JAMJAR_BUILD_OPTIONS"]?.contains("-whole-module-optimization") ?? false

    private static let counted = """
      build debug on A Processor
      debug packets 1000 2000
        600 jamjar-fidelity open
        400 jamjar-fidelity forward
        1000 libcrypto.so.3 aes
      debug page 5000 5000
        5000 libsqlite3.so.0 step

      """

    /// Compares two files of counts: what `change` makes of the first is taken for counted now.
    private func compare(_ change: (String) -> String) async throws -> (status: Int32, text: String) {
      let folder = try TemporaryFolder()
      let (before, now) = (folder.path + "/before.txt", folder.path + "/now.txt")
      try WatchTests.counted.write(toFile: before, atomically: true, encoding: .utf8)
      try change(WatchTests.counted).write(toFile: now, atomically: true, encoding: .utf8)
      let script = try ChildProcess(
        WatchTests.script, ["--build", "debug", "--file", before, "--counted", now])
      return (await script.exitStatus(), await script.wholeText())
    }

    @Test func aWorkThatGrewByATenthFailsWithItsNameAndWhatGrew() async throws {
      let (status, text) = try await compare {
        $0.replacingOccurrences(of: "packets 1000 2000", with: "packets 1100 2100")
          .replacingOccurrences(of: "400 jamjar-fidelity forward", with: "500 jamjar-fidelity forward")
      }
      #expect(status == 1, "\(text)")
      #expect(text.contains("packets takes more instructions than it may: +10.00%"), "\(text)")
      #expect(text.contains("+100 (+5.0% of the work)  jamjar-fidelity forward"), "\(text)")
      #expect(!text.contains("+0 "), "\(text)")
      #expect(text.contains("page: +0.00%"), "\(text)")
    }

    @Test func aWorkThatGrewALittlePasses() async throws {
      let (status, text) = try await compare {
        $0.replacingOccurrences(of: "packets 1000 2000", with: "packets 1040 2040")
      }
      #expect(status == 0, "\(text)")
    }

    @Test func moreWorkOfALibraryFailsOnTheSameProcessorAlone() async throws {
      let grown = { (text: String) in
        text.replacingOccurrences(of: "packets 1000 2000", with: "packets 1000 3000")
          .replacingOccurrences(of: "1000 libcrypto.so.3 aes", with: "2000 libcrypto.so.3 aes")
      }
      let same = try await compare(grown)
      #expect(same.status == 1)
      #expect(same.text.contains("libcrypto.so.3 aes"), "\(same.text)")
      let other = try await compare { grown($0).replacingOccurrences(of: "A Processor", with: "Another One") }
      #expect(other.status == 0, "\(other.text)")
      #expect(other.text.contains("The file is of A Processor; this is Another One"), "\(other.text)")
    }

    @Test(.enabled(if: isBuiltAsInCI, "the counts are those of a build with the options of .ci/run"))
    func whatWasBuiltTakesNoMoreInstructionsThanTheFileSays() async throws {
      let folder = URL(fileURLWithPath: try Service.executable()).deletingLastPathComponent().path
      let script = try ChildProcess(WatchTests.script, ["--build", "debug", "--binaries", folder])
      let (status, text) = (await script.exitStatus(), await script.wholeText())
      #expect(status == 0, "\(text)")
    }
  }
}
