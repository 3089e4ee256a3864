import Foundation
import Signaling
import Testing

extension Programs {
  /// Queries by the real program, on a data folder and over REST alike.
  @Suite struct QueryCommandTests {
    private static let key = "a-key-for-the-test-of-queries"

    private func place(overREST: Bool) async throws -> (words: [String], folder: TemporaryFolder, service: Service?) {
      let folder = try await PlayedFolder.copy()
      guard overREST else { return (["--data", folder.path + "/Recordings"], folder, nil) }
      let service = try await Service(folder: folder, environment: ["JAMJAR_API_KEYS": QueryCommandTests.key])
      return (["--server", service.address, "--token", QueryCommandTests.key], folder, service)
    }

    @Test(arguments: [false, true]) func aQueryMeansTheSameOnBothRoads(overREST: Bool) async throws {
      let (data, folder, service) = try await place(overREST: overREST)
      defer { withExtendedLifetime(folder) {} }
      let edited = try await CommandRun(
        [
          "takes", "edit", "--where", "room:DEMO rating:none", "--rating", "4", "--tag", "slow", "--title",
          "Blue in Green",
        ]
          + ["--json"] + data)
      #expect(edited.status == 0, "\(edited.text)")
      #expect(try edited.json["items"]?.array?.first?.object?["rating"]?.integer == 4)
      for query in [
        "rating:4..", "\"blue in green\"", "-tag:warmup tag:SLOW", "participant:ada -(song:x OR duration:1h..)",
        "after:7d tracks:3 state:ready", "title:gre",
      ] {
        let found = try await CommandRun(["takes", "list", "--json", "--where", query] + data)
        #expect(try found.json["items"]?.array?.count == 1, "\(query): \(found.text)")
      }
      for query in ["rating:5", "\"green in blue\"", "-tag:slow", "participant:nobody", "before:7d", "tag:none"] {
        let found = try await CommandRun(["takes", "list", "--json", "--where", query] + data)
        #expect(try found.json["items"]?.array?.isEmpty == true, "\(query): \(found.text)")
        let none = try await CommandRun(["takes", "delete", "--where", query] + data)
        #expect(none.status == 66 && none.isOneLineError, "\(query): \(none.text)")
      }
      let shown = try await CommandRun(["takes", "show", "--json", "--where", "room:demo"] + data)
      #expect(try shown.json["items"]?.array?.first?.object?["tracks"]?.array?.count == 3, "\(shown.text)")
      let wrong = try await CommandRun(["takes", "list", "room:demo", "ratng:4"] + data)
      #expect(wrong.status == 64)
      #expect(
        wrong.text.contains("column 11") && wrong.text.hasSuffix("  room:demo ratng:4\n            ^"), "\(wrong.text)")

      let line = try await CommandRun(["takes", "list", "blue", "--format", "{title}\\t{rating}\\t{tags}"] + data)
      #expect(line.text == "Blue in Green\t4\tslow")
      let csv = try await CommandRun(["takes", "list", "--csv", "--fields", "room,title,song.id"] + data)
      #expect(csv.status == 0 && csv.text.contains("room,title,song.id") && csv.text.contains("demo,Blue in Green,"))
      let people = try await CommandRun(["people", "list", "--format", "{name}"] + data)
      #expect(Set(people.text.split(separator: "\n")) == ["ada", "bob", "cyd"], "\(people.text)")

      let dry = try await CommandRun(["takes", "delete", "--where", "room:demo", "--dry-run"] + data)
      #expect(dry.status == 0 && dry.text.contains("Would delete 1 take"), "\(dry.text)")
      let deleted = try await CommandRun(["takes", "delete", "--where", "room:demo"] + data)
      #expect(deleted.status == 0 && deleted.text.contains("in the trash"), "\(deleted.text)")
      let restored = try await CommandRun(["takes", "restore", "--where", "tag:slow"] + data)
      #expect(restored.status == 0, "\(restored.text)")
      #expect(try await CommandRun(["takes", "list", "--json"] + data).json["items"]?.array?.count == 1)
      await service?.close()
    }

    @Test func manyTakesAreChangedOnlyWithYes() async throws {
      let folder = try await PlayedFolder.copy()
      let data = ["--data", folder.path + "/Recordings"]
      let second = try await CommandRun(["demo", "--seconds", "3"] + data)
      // What it says of the sound is no matter here.
      #expect(second.text.contains("Take 2 in room"), "\(second.text)")
      let asked = try await CommandRun(["takes", "delete", "--where", "tracks:1.."] + data)
      #expect(asked.status == 64 && asked.text.contains("2 takes match; give --yes"), "\(asked.text)")
      #expect(try await CommandRun(["takes", "list", "--json"] + data).json["items"]?.array?.count == 2)
      let done = try await CommandRun(["takes", "delete", "--where", "tracks:1..", "--yes"] + data)
      #expect(done.status == 0, "\(done.text)")
      #expect(try await CommandRun(["takes", "list", "--deleted", "--json"] + data).json["items"]?.array?.count == 2)
    }
  }
}
