import Foundation
import Signaling
import Testing

extension EndToEnd {
  /// Edits by the real program: on a data folder alone, beside the service that runs on it, and over REST.
  @Suite struct SongBookCommandTests {
    private static let key = "a-key-for-the-test-of-the-song-book"

    /// A played take: the words that lead to it, and what must live as long.
    private func place(overREST: Bool) async throws -> (words: [String], folder: TemporaryFolder, service: Service?) {
      let folder = try await PlayedFolder.copy()
      guard overREST else { return (["--data", folder.path + "/Recordings", "--json"], folder, nil) }
      let service = try await Service(folder: folder, environment: ["JAMJAR_API_KEYS": SongBookCommandTests.key])
      return (["--server", service.address, "--token", SongBookCommandTests.key, "--json"], folder, service)
    }

    @Test(arguments: [false, true]) func editsATakeAndFindsItByWhatWasSaid(overREST: Bool) async throws {
      let (data, folder, service) = try await place(overREST: overREST)
      defer { withExtendedLifetime(folder) {} }
      let edited = try await CommandRun(
        ["takes", "edit", "last", "--title", "The good one", "--rating", "4", "--favourite", "--tag", "slow"]
          + ["--tag", "keeper", "--notes", "before the break", "--song", "Blue in Green"] + data)
      #expect(edited.status == 0, "\(edited.text)")
      let take = try edited.json
      #expect(take["title"]?.string == "The good one")
      #expect(take["rating"]?.integer == 4)
      #expect(take["favourite"]?.bool == true)
      #expect(take["tags"]?.array?.compactMap(\.string) == ["slow", "keeper"])
      #expect(take["song"]?.object?["title"]?.string == "Blue in Green")
      for filter in [
        ["--rating", "4"], ["--favourite"], ["--tag", "KEEPER"], ["--song", "blue in green"], ["--search", "break"],
        ["--participant", "Ada"], ["--after", "2020-01-01"],
      ] {
        let found = try await CommandRun(["takes", "list"] + filter + data)
        #expect(try found.json["items"]?.array?.count == 1, "\(filter): \(found.text)")
      }
      for filter in [
        ["--rating", "5"], ["--no-favourite"], ["--tag", "fast"], ["--before", "2020-01-01"], ["--deleted"],
      ] {
        let found = try await CommandRun(["takes", "list"] + filter + data)
        #expect(try found.json["items"]?.array?.isEmpty == true, "\(filter): \(found.text)")
      }
      let less = try await CommandRun(
        ["takes", "edit", "last", "--rating", "none", "--untag", "SLOW", "--song", "none", "--no-favourite"] + data)
      #expect(try less.json["rating"] == .null)
      #expect(try less.json["tags"]?.array?.compactMap(\.string) == ["keeper"])
      #expect(try less.json["song"] == .null)
      #expect(try less.json["title"]?.string == "The good one")
      await service?.close()
    }

    @Test func deletesAndRestoresBesideTheService() async throws {
      let folder = try await PlayedFolder.copy()
      let service = try await Service(folder: folder)
      let data = ["--data", service.recordings]
      let id = try #require(
        try await CommandRun(["takes", "show", "last", "--json"] + data).json["id"]?.string)
      let deleted = try await CommandRun(["takes", "delete", id] + data)
      #expect(deleted.status == 0, "\(deleted.text)")
      #expect(deleted.text.contains("in the trash"))
      let again = try await CommandRun(["takes", "delete", id] + data)
      #expect(again.status == 65)
      #expect(again.isOneLineError)
      let trash = try await CommandRun(["takes", "list", "--deleted", "--json"] + data)
      #expect(try trash.json["items"]?.array?.count == 1)
      #expect(try await CommandRun(["takes", "restore", id] + data).status == 0)
      #expect(try await service.takes(in: "demo").count == 1)
      #expect(try await CommandRun(["takes", "edit", id, "--rating", "2"] + data).status == 0)
      #expect(await service.close() == 0)
    }

    @Test(arguments: [false, true]) func keepsSongsCuesAndPeople(overREST: Bool) async throws {
      let (data, folder, service) = try await place(overREST: overREST)
      defer { withExtendedLifetime(folder) {} }
      let song = try await CommandRun(
        ["songs", "add", "Nardis", "--composer", "Miles Davis", "--key", "E minor", "--tempo", "168"] + data)
      #expect(song.status == 0, "\(song.text)")
      #expect(try song.json["tempo"]?.array?.first?.object?["beatsPerMinute"]?.integer == 168)
      #expect(try await CommandRun(["songs", "add", "NARDIS"] + data).status == 65)
      let renamed = try await CommandRun(["songs", "edit", "nardis", "--title", "Nardis (fast)"] + data)
      #expect(try renamed.json["revision"]?.integer == 2)
      #expect(try await CommandRun(["songs", "list"] + data).json["items"]?.array?.count == 1)
      #expect(try await CommandRun(["songs", "delete", "Nardis (fast)"] + data.dropLast()).status == 0)
      #expect(try await CommandRun(["songs", "show", "Nardis (fast)"] + data).status == 66)

      let cue = try await CommandRun(["takes", "cue", "add", "last", "--at", "1.5", "--text", "bridge"] + data)
      #expect(cue.status == 0, "\(cue.text)")
      let id = try #require(try cue.json["id"]?.string)
      let moved = try await CommandRun(["takes", "cue", "edit", "last", id, "--at", "2"] + data)
      #expect(try moved.json["position"]?.double == 2)
      #expect(try await CommandRun(["takes", "show", "last"] + data).json["cues"]?.array?.count == 1)
      #expect(try await CommandRun(["takes", "cue", "add", "last", "--at", "9999", "--text", "x"] + data).status == 64)
      #expect(try await CommandRun(["takes", "cue", "remove", "last", id] + data.dropLast()).status == 0)

      let merged = try await CommandRun(["people", "merge", "ada", "bob"] + data)
      #expect(try merged.json["merged"]?.array?.count == 1, "\(merged.text)")
      let person = try await CommandRun(["people", "rename", "ada", "Ada L."] + data)
      #expect(try person.json["name"]?.string == "Ada L.")
      let sessions = try await CommandRun(["sessions", "list", "--room", "demo"] + data)
      let session = try #require(try sessions.json["items"]?.array?.first?.object?["id"]?.string)
      #expect(try await CommandRun(["sessions", "show", session] + data).json["takes"]?.array?.count == 1)
      await service?.close()
    }

    @Test(
      arguments: [
        (["takes", "edit", "last"], "nothing"), (["takes", "edit", "last", "--rating", "6"], "1 to 5"),
        (["takes", "list", "--sort", "best"], "newest"), (["takes", "list", "--session", "x"], "26 characters"),
        (["takes", "cue", "add", "last", "--at=-1", "--text", "x"], "0 or more"),
        (["songs", "add", "x", "--tempo", "5"], "10 to 999"), (["songs", "add", "x", "--metre", "4/5"], "1 to 64"),
        (["people", "rename", "ada", ""], "1 to 64"),
      ] as [([String], String)])
    func refusesEditsThatCannotBe(_ words: [String], _ part: String) async throws {
      let run = try await CommandRun(words)
      #expect(run.status == 64, "\(run.text)")
      #expect(run.isOneLineError, "\(run.text)")
      #expect(run.text.contains(part), "\(run.text)")
    }
  }
}
