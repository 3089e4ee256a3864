import Foundation
import Recording
import Signaling
import Testing

extension Programs {
  /// `jamjar export --participant` on a session that was really played.
  @Suite struct SoloCommandTests {
    @Test func writesOneMusiciansSession() async throws {
      let folder = try await PlayedFolder.copy()
      let data = folder.path + "/Recordings"
      let target = folder.path + "/ada.flac"
      let run = try await CommandRun([
        "export", "--participant", "Ada", "--session", "last", "--data", data, "--json", "-o", target,
      ])
      #expect(run.status == 0, "\(run.text)")
      let export = try #require(try run.json["exports"]?.array?.first?.object)
      #expect(export["path"]?.string == target)
      let take = try await CommandRun(["takes", "show", "last", "--data", data, "--json"]).json
      let placed = export["takes"]?.array?.compactMap(\.object) ?? []
      #expect(placed.map { $0["take"]?.string } == [take["id"]?.string])
      #expect(placed.map { $0["start"]?.double } == [0])
      let reader = try SoundFileReader("ada.flac", in: TakeFolder(dataFolder: folder.path))
      #expect(reader.channels == 2)
      let seconds = Double(reader.frameCount) / Double(reader.rate)
      #expect(export["duration"]?.double == seconds)
      let session = try #require(export["session"]?.string)
      // By the beginning of its id, and nothing is written over.
      let again = try await CommandRun([
        "export", "--participant", "ada", "--session", String(session.prefix(20)), "--data", data, "-o", target,
      ])
      #expect(again.status == 73)
      #expect(again.isOneLineError)
    }

    @Test func whatItCannotDoIsSaidInALine() async throws {
      let folder = try await PlayedFolder.copy()
      let data = folder.path + "/Recordings"
      for (words, status, text) in [
        (["--participant", "Zoe"], 66, "there are ada, bob, cyd"),
        (["--participant", "ada", "--session", "01ARZ3NDEKTSV4RRFFQ69G5FAV"], 66, "no finished take"),
        (["--participant", "ada", "--session", "ZZZZZZZZ"], 66, "there is no session"),
        (["--participant", "ada", "--session", "01"], 64, "too short"),
        (["--participant", "ada", "--normalize", "-16"], 64, "as it is"),
      ] as [([String], Int32, String)] {
        let run = try await CommandRun(["export", "--data", data] + words)
        #expect(run.status == status, "\(words): \(run.text)")
        #expect(run.text.contains(text), "\(words): \(run.text)")
        #expect(run.isOneLineError, "\(run.text)")
      }
      for words in [["--session", "last"], ["last", "--participant", "ada"], []] {
        let run = try await CommandRun(["export", "--data", data] + words)
        #expect(run.status == 64, "\(words): \(run.text)")
      }
    }
  }
}
