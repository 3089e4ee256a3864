import Foundation
import Glibc
import Music
import Signaling
import TestSupport
import Testing

extension Senders {
  /// The recorder as a guest of servers that others wrote, and of another Jamjar.
  @Suite(.serialized) struct BotTests {
    /// Share of a track's energy that has to be in the tone that was played. Codecs leave some beside it.
    private static let share = 0.9

    /// A file with a tone, which a musician plays.
    private static func file(_ frequency: Double, seconds: Int, service: Service) throws -> String {
      let path = service.path("tone-\(Int(frequency)).wav")
      try WaveFile.write(Sound(toneOf: frequency, levels: [0.25, 0.25], rate: 48_000, seconds: seconds), to: path)
      return path
    }

    private static func bot(_ url: String, in room: String, of service: Service) async throws -> String {
      let answer = try await HTTP.send(
        "POST", "\(service.address)/v1/bots", json: ["url": .string(url), "room": .string(room)])
      #expect(answer.status == 201)
      return try answer.json.object?["id"]?.string ?? ""
    }

    private static func state(_ bot: String, of service: Service) async throws -> String? {
      try await service.get("/v1/bots/\(bot)").object?["state"]?.string
    }

    private static func seconds(_ track: Service.RecordedTrack) -> Double {
      Double(track.sound.frames) / Double(track.sound.rate)
    }

    @Test func threePublishersInARoomOfJanusAreThreeTracks() async throws {
      let service = try await Service(["--webhook-private"])
      let janus = try await JanusServer()
      let bot = try await BotTests.bot(
        "janus+\(janus.address)?room=\(JanusServer.videoRoom)", in: "janus", of: service)
      try await eventually("the bot is in the room") { try await BotTests.state(bot, of: service) == "waiting" }
      var players: [(name: String, frequency: Double, process: ChildProcess)] = []
      for (name, frequency) in [("Ada", 440.0), ("Bob", 620.0), ("Cyd", 880.0)] {
        let path = try BotTests.file(frequency, seconds: 40, service: service)
        let process = try PythonPeer.start(
          "janus_aiortc.py", [janus.address, "videoroom", "\(JanusServer.videoRoom)", name, path, "7"])
        players.append((name, frequency, process))
      }
      for player in players {
        let status = await player.process.exitStatus()
        #expect(status == 0, "\(player.process.text)")
      }
      let take = try await service.finishedTake(in: "janus")
      #expect(take.tracks.count == 3)
      for player in players {
        let track = try #require(take.track(of: player.name))
        let share = track.sound.share(of: player.frequency, within: 2)
        #expect(share > BotTests.share, "\(player.name)")
        #expect(BotTests.seconds(track) > 5)
      }
      await service.close()
      await janus.end()
    }

    @Test func theMixOfAnAudioBridgeIsATrackAndARestartOfJanusIsSurvived() async throws {
      let service = try await Service(["--webhook-private"])
      let janus = try await JanusServer()
      let bot = try await BotTests.bot(
        "audiobridge+\(janus.address)?room=\(JanusServer.audioBridge)", in: "mix", of: service)
      try await eventually("the bot is in the room") { try await BotTests.state(bot, of: service) == "waiting" }
      await janus.end()
      try await eventually("the bot notices") { try await BotTests.state(bot, of: service) == "rejoining" }
      let again = try await JanusServer(port: janus.port)
      try await eventually("the bot is back") { try await BotTests.state(bot, of: service) == "waiting" }
      let path = try BotTests.file(440, seconds: 40, service: service)
      let ada = try PythonPeer.start(
        "janus_aiortc.py", [again.address, "audiobridge", "\(JanusServer.audioBridge)", "Ada", path, "5"])
      let status = await ada.exitStatus()
      #expect(status == 0, "\(ada.text)")
      let take = try await service.finishedTake(in: "mix")
      let track = try #require(take.tracks.first)
      #expect(track.participant == "mix of \(JanusServer.audioBridge)")
      let share = track.sound.share(of: 440, within: 2)
      #expect(share > BotTests.share)
      #expect(BotTests.seconds(track) > 3)
      await service.close()
      await again.end()
    }

    @Test func theBotOfAKilledServiceComesBackIntoTheRoomOfAnother() async throws {
      let there = try await Service()
      let folder = try TemporaryFolder()
      let here = try await Service(["--webhook-private"], folder: folder)
      let path = try BotTests.file(440, seconds: 120, service: there)
      let bot = try await BotTests.bot("jamjar+http://127.0.0.1:\(there.port)/cellar", in: "cellar", of: here)
      try await eventually("the bot is in the room") { try await BotTests.state(bot, of: here) == "waiting" }
      let ada = try PythonPeer.start("whip_aiortc.py", ["\(there.address)/whip/cellar?name=Ada", path, "100"])
      let connected = await ada.line { $0.contains("connected") }
      #expect(connected != nil)
      try await eventually("four seconds of Ada are recorded here") {
        let startedAt = try await here.takes(in: "cellar").first?["startedAt"]?.string.flatMap(WallTime.init)
        guard let startedAt else { return false }
        return Date().timeIntervalSince1970 - Double(startedAt.milliseconds) / 1e3 > 4
      }
      here.process.send(SIGKILL)
      _ = await here.process.exitStatus()
      let again = try await Service(["--webhook-private"], folder: folder)
      let bots = try await again.get("/v1/bots").object?["items"]?.array ?? []
      #expect(bots.count == 1)
      try await eventually("the bot hears Ada again") { try await BotTests.state(bot, of: again) == "recording" }
      try await eventually("four more seconds of Ada are recorded") {
        let takes = try await again.takes(in: "cellar")
        let starts = takes.compactMap { $0["startedAt"]?.string.flatMap(WallTime.init)?.milliseconds }
        guard takes.count == 2, let start = starts.max() else { return false }
        return Date().timeIntervalSince1970 - Double(start) / 1e3 > 4
      }
      let status = await ada.terminate()
      #expect(status == 0, "\(ada.text)")
      // The one that the kill cut off, and the one after it.
      _ = try await again.finishedTake(in: "cellar", count: 2)
      let takes = try await again.takes(in: "cellar")
      #expect(takes.count == 2)
      for take in takes {
        let id = take["id"]?.string ?? ""
        let tracks = try await again.get("/v1/takes/\(id)/tracks").object?["items"]?.array?.compactMap(\.object) ?? []
        #expect(tracks.count == 1)
        #expect(tracks.first?["participant"]?.object?["name"] == "Ada")
        #expect(take["duration"]?.double ?? 0 > 3)
      }
      await again.close()
      await there.close()
    }
  }
}
