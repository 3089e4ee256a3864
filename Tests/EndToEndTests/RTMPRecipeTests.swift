import Foundation
import Signaling
import TestSupport
import Testing

extension Apps {
  /// The lines with ffmpeg in docs/rtmp.md, as they stand there.
  @Suite(.serialized) struct RTMPRecipeTests {
    /// The words after "ffmpeg" of every line that begins with it, without the comment.
    private func recipes() throws -> [[String]] {
      var root = URL(fileURLWithPath: #filePath)
      for _ in 0..<3 { root.deleteLastPathComponent() }
      let document = try String(contentsOf: root.appendingPathComponent("docs/rtmp.md"), encoding: .utf8)
      return document.split(separator: "\n").filter { $0.hasPrefix("ffmpeg ") }.map { line in
        line.prefix { $0 != "#" }.split(separator: " ").dropFirst().map(String.init)
      }
    }

    @Test func aDeskIsRecordedAndHeardAsTheDocumentSays() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let song = service.path("song.wav")
        let maker = try ChildProcess(
          "ffmpeg",
          [
            "-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=700:sample_rate=48000", "-t",
            "8",
            "-ac", "2", song,
          ])
        #expect(await maker.exitStatus() == 0)
        let heard = service.path("heard.wav")
        let lines = try recipes().map { words in
          ["-hide_banner", "-loglevel", "error"]
            + words.map { word in
              switch word {
              case "song.wav": song
              case "heard.wav": heard
              default: word.replacingOccurrences(of: "rtmp://127.0.0.1/", with: "rtmp://127.0.0.1:\(port)/")
              }
            }
        }
        #expect(lines.count == 2)
        let desk = try ChildProcess("ffmpeg", try #require(lines.first { $0.contains(song) }))
        try await eventually("the desk plays") {
          try await service.get("/v1/rooms").object?["items"]?.array?.first?.object?["members"]?.array?.first?
            .object?["publishing"] == true
        }
        let player = try ChildProcess("ffmpeg", try #require(lines.first { $0.contains(heard) }))
        #expect(await player.exitStatus() == 0, "\(player.text)")
        #expect(try WaveFile.read(heard).share(of: 700) > 0.9)
        #expect(await desk.exitStatus() == 0, "\(desk.text)")
        let take = try await service.finishedTake(in: "studio")
        #expect(try #require(take.track(of: "desk")).sound.share(of: 700) > 0.95)
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }
  }
}
