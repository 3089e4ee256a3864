import Foundation
import Testing

extension Programs {
  /// Programs of others that work for the service: they have their pipes, or connections of their own, and nothing else.
  @Suite struct ConfinedProgramTests {
    private static let source = "-f lavfi -i sine=d=0.5 -c:a libopus -f ogg"

    /// Runs a command of the shell in which $CONFINED is `jamjar confined`, and $FFMPEG the path of ffmpeg.
    private func run(_ command: String, in folder: TemporaryFolder) async throws -> (status: Int32, text: String) {
      let words = "export CONFINED='\(try Service.executable()) confined' FFMPEG=$(command -v ffmpeg); "
      let child = try ChildProcess("sh", ["-c", "cd \(folder.path); " + words + command])
      let status = await child.exitStatus()
      return (status, await child.wholeText())
    }

    @Test func ffmpegHasItsPipesAndNothingElse() async throws {
      let folder = try TemporaryFolder()
      let quiet = "-hide_banner -loglevel error -nostdin"
      let works = try await run(
        "$CONFINED pipes $FFMPEG \(quiet) \(Self.source) pipe:1 | $CONFINED pipes $FFMPEG \(quiet) -i pipe:0 -f wav pipe:1"
          + " >sound.wav && stat -c %s sound.wav", in: folder)
      #expect(works.status == 0 && (Int(works.text.split(separator: "\n").last ?? "") ?? 0) > 40_000, "\(works.text)")

      let reading = try await run("$CONFINED pipes $FFMPEG \(quiet) -i sound.wav -f null -", in: folder)
      #expect(reading.status != 0 && reading.text.contains("Permission denied"), "\(reading.text)")
      let writing = try await run("$CONFINED pipes $FFMPEG \(quiet) \(Self.source) new.ogg", in: folder)
      #expect(writing.status != 0 && writing.text.contains("Permission denied"), "\(writing.text)")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/new.ogg"))
      let others = try await run("$CONFINED pipes /bin/sh -c '/bin/ls; echo survived'", in: folder)
      #expect(others.text.contains("annot fork") && !others.text.contains("sound.wav"), "\(others.text)")
    }

    @Test func onlyThoseThatNeedConnectionsHaveThem() async throws {
      let folder = try TemporaryFolder()
      let service = try await Service()
      let address = "-hide_banner -loglevel error -nostdin -i \(service.address)/healthz -f null -"
      let without = try await run("$CONFINED pipes $FFMPEG \(address)", in: folder)
      #expect(without.text.contains("Operation not permitted"), "\(without.text)")
      // It is no sound, but it was fetched.
      let with = try await run("$CONFINED connections $FFMPEG \(address)", in: folder)
      #expect(with.text.contains("Invalid data found"), "\(with.text)")
      await service.close()
    }

    @Test func whatCannotBeStartedIsNamed() async throws {
      let folder = try TemporaryFolder()
      let missing = try await run("$CONFINED pipes /usr/bin/no-such-program", in: folder)
      #expect(missing.status == 70 && missing.text.contains("/usr/bin/no-such-program cannot be started"))
      let nonsense = try await run("$CONFINED everything $FFMPEG", in: folder)
      #expect(nonsense.status == 64 && nonsense.text.contains("\"pipes\" or \"connections\""), "\(nonsense.text)")
    }
  }
}
