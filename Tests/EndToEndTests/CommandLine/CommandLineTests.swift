import Foundation
import Signaling
import Testing

extension Programs {
  /// The real program on a real data folder, and against a real service.
  @Suite struct CommandLineTests {
    @Test func listsAndShowsATakeForPeopleAndForPrograms() async throws {
      let folder = try await PlayedFolder.copy()
      let data = folder.path + "/Recordings"
      let list = try await CommandRun(["takes", "list", "--data", data, "--json"])
      #expect(list.status == 0)
      let take = try #require(try list.json["items"]?.array?.first?.object)
      #expect(try list.json["next"] == .null)
      #expect(take["room"]?.string == "demo")
      #expect(take["trackCount"]?.integer == 3)
      let id = try #require(take["id"]?.string)

      let table = try await CommandRun(["takes", "list", "--data", data])
      #expect(table.text.contains(id))
      #expect(!table.text.contains("\u{1B}"), "a file gets no colours")

      let shown = try await CommandRun(["takes", "show", String(id.prefix(12)), "--data", data, "--json"])
      #expect(try shown.json["tracks"]?.array?.count == 3)
      #expect(try shown.json["id"]?.string == id)
      let certificate = try await CommandRun(["takes", "show", "last", "--data", data])
      #expect(certificate.text.contains("Place on the time line"))
      let manifest = try await CommandRun(["takes", "show", "last", "--data", data, "--manifest"])
      #expect(try manifest.json["version"]?.integer == 1)
    }

    @Test func tellsAPlayerWhereEverythingIs() async throws {
      let folder = try await PlayedFolder.copy()
      let sheet = try await CommandRun(["takes", "play-info", "last", "--data", folder.path + "/Recordings", "--json"])
      let tracks = try sheet.json["tracks"]?.array?.compactMap(\.object) ?? []
      #expect(tracks.compactMap { $0["participant"]?.string }.sorted() == ["ada", "bob", "cyd"])
      for file in tracks + [try #require(try sheet.json["mix"]?.object)] {
        let path = try #require(file["path"]?.string)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
        #expect(size == file["size"]?.integer)
        #expect(file["mediaType"]?.string == "audio/flac")
      }
    }

    @Test func looksIntoAJournalAlsoIntoATornOne() async throws {
      let folder = try await PlayedFolder.copy()
      let path = try PlayedFolder.journal(in: folder)
      let whole = try await CommandRun(["takes", "inspect", "last", "--data", folder.path + "/Recordings", "--json"])
      #expect(try whole.json["tornBytes"]?.integer == 0)
      #expect(try whole.json["end"]?.string == "sessionEnded")
      let packets = try #require(try whole.json["frames"]?.object?["rtp"]?.integer)
      let tracks = try whole.json["tracks"]?.array?.compactMap(\.object) ?? []
      #expect(tracks.compactMap { $0["packets"]?.integer }.reduce(0, +) == packets)

      let lines = try await CommandRun(["takes", "inspect", path, "--frames", "--json"])
      let kinds = try lines.text.split(separator: "\n").map {
        try JSONValue(parsing: Array($0.utf8)).object?["kind"]?.string
      }
      #expect(kinds.count(where: { $0 == "rtp" }) == packets)

      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes.removeLast(11)
      bytes[bytes.count / 2] ^= 0x55
      try bytes.write(to: URL(fileURLWithPath: path))
      let torn = try await CommandRun(["takes", "inspect", path, "--json"])
      #expect(torn.status == 0)
      #expect(try torn.json["tornBytes"]?.integer ?? 0 > 0)
      #expect(try torn.json["damages"]?.array?.count == 1)
      #expect(try torn.json["end"] == .null)
      let report = try await CommandRun(["takes", "inspect", path])
      #expect(report.text.contains("a torn tail"))
    }

    @Test func saysTheSameOverRESTAsOnTheFolder() async throws {
      let folder = try await PlayedFolder.copy()
      let key = "a-key-for-the-test-of-the-command-line"
      let service = try await Service(folder: folder, environment: ["JAMJAR_API_KEYS": key])
      let table = (
        local: try await CommandRun(["takes", "list", "--data", service.recordings]),
        remote: try await CommandRun(["takes", "list", "--server", service.address, "--token", key])
      )
      #expect(table.local.status == 0)
      #expect(table.local.text == table.remote.text)
      // The index may know more of a take than REST shows; what both say must be the same.
      let local = try await CommandRun(["takes", "show", "last", "--json", "--data", service.recordings]).json
      let remote = try await CommandRun(
        ["takes", "show", "last", "--json", "--server", service.address, "--token", key]
      ).json
      #expect(remote.members.count > 10)
      for member in remote.members { #expect(local[member.name] == member.value, "\(member.name)") }
      let environment = ["JAMJAR_SERVER": service.address, "JAMJAR_TOKEN": key]
      let id = try #require(
        try await CommandRun(["takes", "show", "last", "--json"], environment: environment).json["id"]?.string)
      let sheet = try await CommandRun(
        ["takes", "play-info", String(id.prefix(9)), "--json"], environment: environment)
      let url = try #require(try sheet.json["mix"]?.object?["url"]?.string)
      let mix = try await HTTP.send("GET", url, headers: ["Authorization": "Bearer \(key)"])
      #expect(Int64(mix.body.count) == (try sheet.json["mix"]?.object?["size"]?.integer))

      let refused = try await CommandRun(["takes", "list", "--server", service.address, "--token", "wrong"])
      #expect(refused.status == 77)
      #expect(refused.isOneLineError)
      let unknown = try await CommandRun(
        ["takes", "show", "01M7YR1EJA3EPJ19MSWT7R6WZZ"], environment: environment)
      #expect(unknown.status == 66)
      let journal = try await CommandRun(["takes", "inspect", "last"], environment: environment)
      #expect(journal.status == 64)
      #expect(await service.close() == 0)
      let gone = try await CommandRun(["takes", "list"], environment: environment)
      #expect(gone.status == 69)
      #expect(gone.isOneLineError)
    }

    @Test func exportsTheSameBytesOverRESTAsFromTheFolder() async throws {
      let folder = try await PlayedFolder.copy()
      let key = "a-key-for-the-test-of-exports"
      let service = try await Service(folder: folder, environment: ["JAMJAR_API_KEYS": key])
      let remote = ["--server", service.address, "--token", key]
      // Edits after the take's end are in the index alone, and belong into the file by either road.
      let edited = try await CommandRun(
        ["takes", "edit", "last", "--new-song", "Café “Naïma” 🎷", "--data", service.recordings])
      #expect(edited.status == 0, "\(edited.text)")
      let marked = try await CommandRun(
        ["takes", "cue", "add", "last", "--at", "0:01", "--text", "solo", "--data", service.recordings])
      #expect(marked.status == 0, "\(marked.text)")
      let words = ["--gain", "ada=-3", "--offset", "bob=12ms", "--normalize", "-16", "--from", "0:00.5", "--json"]
      let (near, far) = (service.path("near.flac"), service.path("far.flac"))
      let local = try await CommandRun(["export", "last", "-o", near, "--data", service.recordings] + words)
      #expect(local.status == 0, "\(local.text)")
      let fetched = try await CommandRun(["export", "last", "-o", far] + remote + words)
      #expect(try fetched.json["exports"]?.array?.first?.object?["path"]?.string == far, "\(fetched.text)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: far)) == Data(contentsOf: URL(fileURLWithPath: near)))
      for format in ["wav", "bwf", "mp3"] {
        let name = "x.\(format == "bwf" ? "wav" : format)"
        let (near, far) = (service.path("near-\(format)-\(name)"), service.path("far-\(format)-\(name)"))
        let own = try await CommandRun(
          ["export", "last", "--mix", "--format", format, "-o", near, "--data", service.recordings])
        // A libsndfile without MP3 says so.
        if format == "mp3", own.status == 69 { continue }
        #expect(own.status == 0, "\(own.text)")
        #expect(try await CommandRun(["export", "last", "--format", format, "-o", far] + remote).status == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: near))
        #expect(try bytes == Data(contentsOf: URL(fileURLWithPath: far)), "\(format)")
        #expect(bytes.range(of: Data("Café “Naïma” 🎷".utf8)) != nil, "\(format)")
      }
      let again = try await CommandRun(["export", "last", "-o", far] + remote)
      #expect(again.status == 73)
      #expect(again.isOneLineError)
      let project = try await CommandRun(
        ["export", "last", "--project", "reaper", "-o", service.path("r.zip")] + remote)
      #expect(project.status == 0, "\(project.text)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains { $0.hasSuffix(".part") })
      #expect(await service.close() == 0)
    }

    /// Words, exit code, and what the line has to say. One test for all: in a lane each case of its own would wait for
    /// its turn behind a whole test of another lane.
    private static let refusals: [([String], Int32, String)] = [
      (["takes", "list", "--state", "done"], 64, "permitted: rolling"),
      (["takes", "list", "--limit", "0"], 64, "1 to"),
      (["rooms", "list", "--state", "open"], 64, "permitted: empty, waiting"),
      (["rooms", "list", "--fields", "owner"], 64, "permitted: name"),
      (["takes", "list", "--room", ".."], 64, "dot"), (["takes", "list", "--bogus"], 64, "--bogus"),
      (["takes", "frobnicate"], 64, "frobnicate"), (["takes", "show"], 64, "take"),
      (["takes", "list", "--server", "ftp://x"], 64, "http://HOST"),
      (["takes", "list", "--server", "http://x/y"], 64, "http://HOST"),
      (["takes", "list", "--server", "http://x:99999"], 64, "1 to 65535"),
      (["takes", "list", "--server", "http://x", "--data", "y"], 64, "exclude"),
      (["takes", "list", "--server", "http://127.0.0.1:9", "--token", "a\nb: c"], 64, "visible ASCII"),
      (["takes", "list", "--data", "/nowhere"], 66, "no index"),
      (["takes", "inspect", "/nowhere/x"], 66, "/nowhere/x"),
      (["takes", "inspect", "/dev/null"], 65, "ends within"), (["takes", "inspect", "/etc/passwd"], 65, "no Jamjar"),
      (["takes", "show", "last", "--json", "--manifest"], 64, "exclude"),
      (["takes", "list", "--after", "yesterday"], 64, "2026-11-21"),
      (["sessions", "list", "--before", "99:00"], 64, "2026-11-21"),
      (["takes", "cue", "add", "last", "--at", "soon", "--text", "x"], 64, "1:23.5"),
      (["takes", "edit", "last", "--song", "a", "--new-song", "b"], 64, "exclude"),
      (["export", "last", "--format", "mp3", "--rate", "96000"], 64, "48000, 44100"),
      (["export", "last", "--mix", "--stems"], 64, "--mix and --stems exclude each other"),
      (["export", "last", "--mix", "--project", "reaper"], 64, "--mix and --project reaper"),
    ]

    @Test func refusesInOneLineThatSaysWhatWouldBeRight() async throws {
      for (words, status, part) in CommandLineTests.refusals {
        let run = try await CommandRun(words)
        #expect(run.status == status, "\(words)")
        #expect(run.isOneLineError, "\(words): \(run.text)")
        #expect(run.text.contains(part), "\(words): \(run.text)")
      }
    }

    @Test func outputThatDoesNotArriveIsAnError() async throws {
      let folder = try await PlayedFolder.copy()
      for words in [["takes", "list", "--json"], ["takes", "list"], ["manual"], ["--help"], ["config", "show"]] {
        let child = try ChildProcess(
          "env",
          ["JAMJAR_DATA=\(folder.path)/Recordings", "sh", "-c", "\"$@\" >/dev/full", "sh", try Service.executable()]
            + words)
        #expect(await child.exitStatus() == 74, "\(words)")
        #expect(await child.wholeText().contains("the output cannot be written"), "\(words)")
      }
    }

    @Test func aLoudnessThatIsNotReachedIsSaid() async throws {
      let folder = try await PlayedFolder.copy()
      let run = try await CommandRun(
        ["export", "last", "--normalize", "-5", "--true-peak", "-9", "--json", "-o", folder.path + "/loud.wav"]
          + ["--data", folder.path + "/Recordings"])
      let export = try #require(try run.json["exports"]?.array?.first?.object)
      let (target, loudness) = (
        try #require(export["loudnessTarget"]?.double), try #require(export["loudness"]?.double)
      )
      #expect(target == -5)
      // A ceiling of -9 dBTP leaves no room for -5 LUFS.
      let shortfall = try #require(export["loudnessShortfall"]?.double)
      #expect(abs(shortfall - (target - loudness)) < 0.02 && shortfall > 1)
    }

    @Test func lettersOnTheTerminalCannotCommandIt() async throws {
      let run = try await CommandRun(["takes", "inspect", "/nowhere/\u{1B}[31mred"])
      #expect(!run.text.contains("\u{1B}"))
    }

    @Test func fitsTheWidthThatIsThere() async throws {
      let folder = try await PlayedFolder.copy()
      let run = try await CommandRun(
        ["takes", "show", "last", "--data", folder.path + "/Recordings"], environment: ["COLUMNS": "100"])
      #expect(run.text.contains("…"))
      for line in run.text.split(separator: "\n") where line.contains("ada") { #expect(line.count <= 100) }
    }

    @Test func explainsItself() async throws {
      let manual = try await CommandRun(["manual"])
      #expect(manual.text.hasPrefix(".TH JAMJAR 1"))
      #expect(manual.text.contains(".SS \"jamjar takes inspect JOURNAL\""))
      let help = try await CommandRun(["--help"])
      #expect(help.status == 0)
      #expect(help.text.contains("sysexits"))
      for shell in ["bash", "zsh", "fish"] {
        let script = try await CommandRun(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.text.contains("play-info"))
      }
    }
  }
}
