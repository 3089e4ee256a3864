import Foundation
import Signaling
import Testing

extension Programs {
  /// `jamjar export --project` and `--stems` on a take that was really played.
  @Suite struct ProjectCommandTests {
    private func names(in folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func makesAProjectOfReaperThatNamesItsFiles() async throws {
      let folder = try await PlayedFolder.copy()
      let target = folder.path + "/reaper"
      let run = try await CommandRun([
        "export", "last", "--data", folder.path + "/Recordings", "--project", "reaper", "--gain", "ada=-3",
        "--high-pass", "bob=80", "--json", "-o", target,
      ])
      #expect(run.status == 0, "\(run.text)")
      let export = try #require(try run.json["exports"]?.array?.first?.object)
      #expect(export["project"]?.string == "reaper")
      #expect(export["path"]?.string == target)
      #expect(export["tracks"]?.integer == 3)
      #expect(export["omissions"]?.array?.compactMap(\.string) == ["the high-pass of bob (80 Hz)"])
      let files = export["files"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
      #expect(try names(in: target) == files.sorted())
      let main = try #require(export["open"]?.string)
      let project = try String(contentsOfFile: "\(target)/\(main)", encoding: .utf8)
      for file in files where file != main { #expect(project.contains("FILE \"\(file)\"")) }
      // What is there is never written over.
      let again = try await CommandRun([
        "export", "last", "--data", folder.path + "/Recordings", "--stems", "-o", target,
      ])
      #expect(again.status == 73)
      #expect(again.isOneLineError)
      #expect(try names(in: target) == files.sorted())
    }

    @Test func makesStemsAndArchivesThatAreAllThatIsLeft() async throws {
      let folder = try await PlayedFolder.copy()
      let target = folder.path + "/out"
      try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
      let data = ["export", "last", "--data", folder.path + "/Recordings"]
      let cue = try await CommandRun([
        "takes", "cue", "add", "last", "--data", folder.path + "/Recordings", "--at", "0.5", "--text", "verse",
      ])
      #expect(cue.status == 0, "\(cue.text)")
      for words in [
        ["--stems", "-o", "\(target)/stems"], ["--stems", "--zip", "-o", "\(target)/stems.zip"],
        ["--project", "dawproject", "-o", "\(target)/take.dawproject"],
        ["--project", "audacity", "--zip", "-o", "\(target)/audacity.zip"],
      ] {
        let run = try await CommandRun(data + words)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("3 tracks"))
      }
      #expect(try names(in: target) == ["audacity.zip", "stems", "stems.zip", "take.dawproject"])
      let stems = try names(in: target + "/stems")
      #expect(stems == ["01-ada-guitar.wav", "02-bob-bass.wav", "03-cyd-drums.wav", "cues.txt"])
      for name in stems.dropLast() {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(target)/stems/\(name)"))
        let head = bytes.prefix(4_096)
        #expect(head.starts(with: Data("RIFF".utf8)))
        for chunk in ["bext", "verse"] { #expect(bytes.range(of: Data(chunk.utf8)) != nil, "\(chunk) in \(name)") }
      }
    }

    @Test(
      arguments: [
        (["--project", "logic"], 64, "permitted: reaper, ardour, audacity, dawproject"),
        (["--project", "stems"], 64, "--stems"),
        (["--project", "reaper", "--stems"], 64, "exclude each other"),
        (["--zip"], 64, "--zip is for --project and --stems"),
        (["--project", "dawproject", "--zip"], 64, "one file anyway"),
        (["--stems", "--format", "flac16"], 64, "--format flac16 is for a mix"),
        (["--stems", "--rate", "44100"], 64, "--rate 44100 is for a mix"),
      ] as [([String], Int32, String)])
    func refusesWhatDoesNotGoTogether(_ words: [String], _ status: Int32, _ part: String) async throws {
      let run = try await CommandRun(["export", "last", "--data", "/nowhere"] + words)
      #expect(run.status == status)
      #expect(run.isOneLineError, "\(run.text)")
      #expect(run.text.contains(part), "\(run.text)")
    }

    @Test func namesWhatIsWrongWithAPlace() async throws {
      let folder = try await PlayedFolder.copy()
      let data = ["export", "last", "--data", folder.path + "/Recordings"]
      for (words, status, part) in [
        (["--project", "dawproject", "-o", "x.zip"], 64, ".dawproject"),
        (["--stems", "--zip", "-o", "x"], 64, ".zip"), (["--stems", "-o", "/nowhere/x"], 73, "no folder /nowhere"),
        (["--stems", "-o", folder.path], 73, "exists already"),
        (["--stems", "--gain", "ada=999"], 64, "--gain of ada"),
      ] as [([String], Int32, String)] {
        let run = try await CommandRun(data + words)
        #expect(run.status == status)
        #expect(run.isOneLineError, "\(run.text)")
        #expect(run.text.contains(part), "\(run.text)")
      }
    }
  }
}
