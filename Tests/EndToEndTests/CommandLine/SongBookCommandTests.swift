import Foundation
import Glibc
import Signaling
import Testing

extension Programs {
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
          + ["--tag", "keeper", "--notes", "before the break", "--new-song", "Blue in Green"] + data)
      #expect(edited.status == 0, "\(edited.text)")
      let take = try edited.json
      #expect(take["title"]?.string == "The good one")
      #expect(take["rating"]?.integer == 4)
      #expect(take["favourite"]?.bool == true)
      #expect(take["tags"]?.array?.compactMap(\.string) == ["slow", "keeper"])
      #expect(take["song"]?.object?["title"]?.string == "Blue in Green")
      // A mistyped title is no new song.
      let mistyped = try await CommandRun(["takes", "edit", "last", "--song", "Blue in Gren"] + data)
      #expect(mistyped.status == 66 && mistyped.isOneLineError, "\(mistyped.text)")
      #expect(mistyped.text.contains("did you mean \"Blue in Green\"?") && mistyped.text.contains("--new-song"))
      #expect(try await CommandRun(["songs", "list"] + data).json["items"]?.array?.count == 1)
      #expect(try await CommandRun(["takes", "edit", "last", "--song", "blue in GREEN"] + data).status == 0)
      for filter in [
        ["--rating", "4"], ["--favourite"], ["--tag", "KEEPER"], ["--song", "blue in green"], ["--search", "break"],
        ["--participant", "Ada"], ["--after", "2020-01-01"], ["--after", "2020"], ["--after", "2020-02"],
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

    /// Whatever stands in a title, it is a name and not a query.
    @Test(arguments: [false, true]) func findsSongsAndPeopleByNamesAndByQueries(overREST: Bool) async throws {
      let (data, folder, service) = try await place(overREST: overREST)
      defer { withExtendedLifetime(folder) {} }
      for title in ["rating:5 \"(x\\", "AND OR", "?!", "Blue in Green"] {
        let added = try await CommandRun(["songs", "add", title, "--composer", "Bill Evans"] + data)
        #expect(added.status == 0, "\(added.text)")
        let shown = try await CommandRun(["songs", "show", title.lowercased()] + data)
        #expect(try shown.json["title"]?.string == title, "\(shown.text)")
      }
      // A part of a title is no title.
      #expect(try await CommandRun(["songs", "show", "Blue"] + data).status == 66)
      for (query, count) in [
        (["composer:evans"], 4), (["composer:evans", "blue"], 1), (["--where", "-song:blue* takes:0"], 3),
        (["--search", "key:none title:green"], 1), (["takes:1..", "blue"], 0),
      ] {
        let list = try await CommandRun(["songs", "list"] + query + data)
        #expect(try list.json["items"]?.array?.count == count, "\(query): \(list.text)")
      }
      let people = try await CommandRun(["people", "list", "participant:ada", "takes:1.."] + data)
      #expect(try people.json["items"]?.array?.count == 1, "\(people.text)")
      let wrong = try await CommandRun(["people", "list", "composer:x"] + data)
      #expect(wrong.status == 64 && wrong.text.contains("column 1"), "\(wrong.text)")
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

    /// A follower hears the edits of other processes, those made while the service was down too, once and in order.
    @Test func everyEditIsOneEventAlsoOverAKill() async throws {
      let folder = try await PlayedFolder.copy()
      let service = try await Service(folder: folder)
      let data = ["--data", service.recordings]
      let follower = try ChildProcess(
        try Service.executable(),
        ["events", "--server", service.address, "--follow", "--json", "--after", "0", "--types", "take.edited"])
      #expect(try await CommandRun(["takes", "edit", "last", "--rating", "1"] + data).status == 0)
      #expect(await follower.line { $0.contains("\"revision\":2") } != nil, "\(follower.text)")
      service.process.send(SIGKILL)
      _ = await service.process.exitStatus()
      #expect(try await CommandRun(["takes", "edit", "last", "--rating", "2"] + data).status == 0)
      let next = try await Service(folder: folder, port: service.port)
      #expect(try await CommandRun(["takes", "edit", "last", "--rating", "3"] + data).status == 0)
      #expect(await follower.line { $0.contains("\"revision\":4") } != nil, "\(follower.text)")
      follower.send(SIGINT)
      #expect(await follower.exitStatus() == 0)
      let told = try revisions(await follower.wholeText())
      #expect(told == [2, 3, 4])
      #expect(await next.close() == 0)

      let log = try await CommandRun(["events", "--json"] + data)
      #expect(try revisions(log.text) == [2, 3, 4])
      #expect(try revisions(try await CommandRun(["events", "--json", "--after", "1"] + data).text) == [3, 4])
      let lines = try await CommandRun(["events", "--room", "demo"] + data).text.split(separator: "\n")
      #expect(lines.count == 3 && lines.allSatisfy { $0.contains("take.edited") && $0.contains("★") })
      #expect(try await CommandRun(["events", "--room", "elsewhere"] + data).text.isEmpty)
      #expect(try await CommandRun(["events", "--after", "9"] + data).status == 64)
      #expect(try await CommandRun(["events", "--types", "nothing"] + data).status == 64)
    }

    @Test(arguments: [false, true]) func importsRecordingsOnceAndShowsThemAsTakes(overREST: Bool) async throws {
      let (words, folder, service) = try await place(overREST: overREST)
      let data = Array(words.dropLast())
      defer { withExtendedLifetime(service) {} }
      let past = folder.path + "/Past"
      try FileManager.default.createDirectory(atPath: past, withIntermediateDirectories: true)
      for (name, tone) in [("01 - Ada", 440), ("02 - Bob", 660)] {
        let made = try ChildProcess(
          "ffmpeg",
          [
            "-v", "error", "-f", "lavfi", "-i", "sine=frequency=\(tone):sample_rate=44100:duration=2",
            "\(past)/\(name).wav",
          ])
        #expect(await made.exitStatus() == 0, "\(made.text)")
      }
      let wish = ["import", past, "--room", "Past", "--song", "Nardis", "--at", "2019-05-04T20:00:00Z"] + data
      let planned = try await CommandRun(wish + ["--dry-run"])
      #expect(planned.status == 0 && planned.text.contains("Bob"), "\(planned.text)")
      let run = try await CommandRun(wish + ["--json"])
      #expect(run.status == 0, "\(run.text)")
      let take = try #require(try run.json["items"]?.array?.first?.object)
      #expect(take["duration"]?.double == 2 && take["startedAt"]?.string?.hasPrefix("2019-05-04T20:00:00") == true)
      let again = try await CommandRun(wish)
      #expect(again.status == 0 && again.text.contains("--again") && again.isOneLineError, "\(again.text)")
      #expect(try await CommandRun(wish + ["--again", "--json"]).json["items"]?.array?.count == 1)
      let list = try await CommandRun(["takes", "list", "--room", "Past", "--song", "Nardis", "--json"] + data)
      #expect(try list.json["items"]?.array?.count == 2)
      let id = try #require(take["id"]?.string)
      let shown = try await CommandRun(["takes", "show", id] + data)
      #expect(shown.text.contains("imported from Past") && shown.text.contains("the start of the file"))
      #expect(try await CommandRun(["export", id, "-o", folder.path + "/mix.flac"] + data).status == 0)
      #expect(
        try await CommandRun(["catalog", "check", "--hashes", "--data", folder.path + "/Recordings"]).status == 0)
      let left = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/Recordings/_import")
      #expect(left?.isEmpty ?? true)
      let refused = try await CommandRun(["import", folder.path + "/nothing.wav"] + data)
      #expect(refused.status == 66 && refused.isOneLineError, "\(refused.text)")
    }

    /// The revisions of the takes in lines of `jamjar events --json`.
    private func revisions(_ text: String) throws -> [Int64] {
      try text.split(separator: "\n").compactMap { line in
        try JSONValue(parsing: String(line)).object?["take"]?.object?["revision"]?.integer
      }
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
