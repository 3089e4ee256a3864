import Foundation
import Signaling
import Testing

extension Programs {
  /// The real service at its start on a data folder whose index is gone or broken.
  @Suite struct LostIndexTests {
    /// What becomes of `jamjar.sqlite` while the service is down.
    enum Loss: CaseIterable {
      case deleted, overwritten
    }

    @Test(arguments: Loss.allCases)
    func theServiceFillsItsIndexFromTheDiskWithAllThatPeopleSaid(loss: Loss) async throws {
      let folder = try await PlayedFolder.copy()
      let root = folder.path + "/Recordings"
      let data = ["--data", root]
      for words in [
        ["takes", "edit", "last", "--title", "The good one", "--rating", "4", "--favourite", "--tag", "keeper"]
          + ["--notes", "before the break", "--new-song", "Blue in Green"],
        ["songs", "edit", "Blue in Green", "--composer", "Bill Evans", "--key", "D minor", "--tempo", "60"],
        ["songs", "add", "Nobody played it"],
        ["takes", "cue", "add", "last", "--at", "1.5", "--text", "bridge"],
        ["people", "merge", "ada", "bob"], ["people", "rename", "ada", "Ada L."],
      ] {
        let run = try await CommandRun(words + data)
        #expect(run.status == 0, "\(words): \(run.text)")
      }
      let before = try await said(data)
      #expect(before.contains { $0.contains("before the break") })

      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: root + "/jamjar.sqlite" + suffix) }
      switch loss {
      case .deleted: try FileManager.default.removeItem(atPath: root + "/jamjar.sqlite")
      case .overwritten: try Data("no index any more".utf8).write(to: URL(fileURLWithPath: root + "/jamjar.sqlite"))
      }
      let service = try await Service(folder: folder)
      #expect(try await said(data) == before)
      for text in ["good", "keeper", "ada l", "bob bridge"] {
        let found = try await CommandRun(["takes", "list", "--search", text, "--json"] + data)
        #expect(try found.json["items"]?.array?.count == 1, "\(text): \(found.text)")
      }
      let check = try await CommandRun(["catalog", "check", "--hashes"] + data)
      #expect(check.status == 0, "\(check.text)")
      #expect(check.text.contains("2 songs' and 1 people's files: 0 findings"), "\(check.text)")
      #expect(await service.close() == 0)
    }

    /// Everything that lists tell, as it is printed.
    private func said(_ data: [String]) async throws -> [String] {
      var texts: [String] = []
      for words in [["takes", "show", "last"], ["takes", "list"], ["songs", "list"], ["people", "list"]] {
        let run = try await CommandRun(words + ["--json"] + data)
        #expect(run.status == 0, "\(words): \(run.text)")
        texts.append(run.text)
      }
      return texts
    }
  }
}
