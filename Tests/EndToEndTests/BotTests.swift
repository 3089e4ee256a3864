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
        let process = try PythonPeer.startMusician(
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

    /// Nothing closes anything: the musician's connection and the server's links are gone in the same moment. She plays on
    /// within the grace period.
    @Test func aJanusThatIsKilledInTheMiddleOfATakeLeavesAGapInIt() async throws {
      let service = try await Service(["--webhook-private", "--grace", "300"])
      let janus = try await JanusServer()
      let bot = try await BotTests.bot(
        "janus+\(janus.address)?room=\(JanusServer.videoRoom)", in: "killed", of: service)
      try await eventually("the bot is in the room") { try await BotTests.state(bot, of: service) == "waiting" }
      let path = try BotTests.file(440, seconds: 120, service: service)
      func ada(_ seconds: Int) throws -> ChildProcess {
        try PythonPeer.startMusician(
          "janus_aiortc.py", [janus.address, "videoroom", "\(JanusServer.videoRoom)", "Ada", path, "\(seconds)"])
      }
      let first = try ada(100)
      try await eventually("four seconds of Ada are recorded") { try await BotTests.age(in: "killed", of: service) > 4 }
      await janus.kill()
      await first.terminate()
      try await eventually("the bot notices") { try await BotTests.state(bot, of: service) == "rejoining" }
      let again = try await JanusServer(port: janus.port)
      try await eventually("the bot is back by itself") { try await BotTests.state(bot, of: service) == "waiting" }
      let second = try ada(6)
      #expect(await second.exitStatus() == 0, "\(second.text)")
      let take = try await service.finishedTake(in: "killed")
      #expect(try await service.takes(in: "killed").count == 1)
      #expect(take.tracks.count == 1)
      let track = try #require(take.track(of: "Ada"))
      #expect(track.sound.share(of: 440, within: 2) > BotTests.share)
      #expect(BotTests.seconds(track) > 8)
      // What was played while nobody could hear it is silence of the right length, and said.
      #expect(track.gaps.contains { ($0.object?["duration"]?.double ?? 0) > 0.5 }, "\(track.gaps)")
      await service.close()
      await again.end()
    }

    @Test func aServerOfRTSPIsRecordedWithTheUsersPassword() async throws {
      let service = try await Service(["--webhook-private"])
      let port = try Service.freePort()
      let server = try PythonPeer.start("rtsp_server.py", ["\(port)", "/desk", "ada", "open-sesame"])
      let listening = await server.line { $0.contains("listening") }
      #expect(listening != nil, "\(server.text)")
      let stranger = try await BotTests.bot(
        "rtsp://127.0.0.1:\(port)/desk?user=ada&secret=guessed", in: "stranger", of: service)
      try await eventually("the stranger hears nothing") {
        let report = try await service.get("/v1/bots/\(stranger)").object
        return report?["detail"]?.string?.contains("a secret is wrong") == true
      }
      let bot = try await BotTests.bot(
        "rtsp://127.0.0.1:\(port)/desk?user=ada&secret=open-sesame", in: "desk", of: service)
      try await eventually("four seconds are recorded") { try await BotTests.age(in: "desk", of: service) > 4 }
      let answer = try await HTTP.send("DELETE", "\(service.address)/v1/bots/\(bot)")
      #expect(answer.status == 204)
      let take = try await service.finishedTake(in: "desk")
      let track = try #require(take.track(of: "desk"))
      #expect(track.sound.share(of: 700, within: 2) > BotTests.share)
      #expect(BotTests.seconds(track) > 3)
      let others = try await service.takes(in: "stranger")
      #expect(others.isEmpty)
      await service.close()
      await server.terminate()
    }

    /// The bot joins as one who publishes, and publishes nothing: a room that has no place for another publisher has one for
    /// it.
    @Test func roomsOfJanusThatAreFullOrMissingAndItsRequests() async throws {
      let service = try await Service(["--webhook-private"])
      let janus = try await JanusServer()
      let web = "janus+\(janus.webAddress)"
      var bots: [(id: String, words: String)] = []
      for (url, code) in [
        ("janus+\(janus.address)", 426), ("audiobridge+\(janus.address)", 485), (web, 426),
        ("audiobridge+\(janus.webAddress)", 485),
      ] {
        let id = try await BotTests.bot(
          "\(url)?room=\(JanusServer.none)", in: "missing-\(bots.count)", of: service)
        bots.append((id, "Janus says: No such room (\(JanusServer.none)) (\(code))"))
      }
      for bot in bots {
        try await eventually("the bot says that there is no such room") {
          let report = try await service.get("/v1/bots/\(bot.id)").object
          return report?["state"] == "rejoining" && report?["detail"]?.string == bot.words
        }
      }
      let told = try ChildProcess(
        try Service.executable(),
        ["bot", "\(web)?room=\(JanusServer.none)", "--room", "told", "--data", service.path("Told")])
      let line = await told.line { $0.contains("will rejoin (Janus says: No such room (99) (426))") }
      #expect(line != nil, "\(told.text)")
      await told.terminate()

      let solo = try await BotTests.bot("\(web)?room=\(JanusServer.solo)", in: "solo", of: service)
      let beside = try await BotTests.bot(
        "janus+\(janus.address)?room=\(JanusServer.solo)", in: "beside", of: service)
      for bot in [solo, beside] {
        try await eventually("the bot is in the room") { try await BotTests.state(bot, of: service) == "waiting" }
      }
      let path = try BotTests.file(440, seconds: 40, service: service)
      let ada = try PythonPeer.startMusician(
        "janus_aiortc.py", [janus.address, "videoroom", "\(JanusServer.solo)", "Ada", path, "8"])
      #expect(await ada.exitStatus() == 0, "\(ada.text)")
      for room in ["solo", "beside"] {
        let take = try await service.finishedTake(in: room)
        let track = try #require(take.track(of: "Ada"))
        #expect(track.sound.share(of: 440, within: 2) > BotTests.share)
        #expect(BotTests.seconds(track) > 4)
      }
      for bot in bots {
        let attempts = try await service.get("/v1/bots/\(bot.id)").object?["attempts"]?.integer ?? 99
        #expect(attempts <= 3, "after a refusal it waits for half a minute, then for a whole one")
      }
      #expect(try await service.get("/v1/takes").object?["items"]?.array?.count == 2)
      let answer = try await HTTP.send("DELETE", "\(service.address)/v1/bots/\(solo)")
      #expect(answer.status == 204)
      await service.close()
      await janus.end()
    }

    /// How long the room's newest take has lasted, in seconds.
    private static func age(in room: String, of service: Service) async throws -> Double {
      let starts = try await service.takes(in: room).compactMap { $0["startedAt"]?.string.flatMap(WallTime.init) }
      guard let start = starts.max() else { return 0 }
      return Date().timeIntervalSince1970 - Double(start.milliseconds) / 1e3
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
      let ada = try PythonPeer.startMusician(
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
      let ada = try PythonPeer.startMusician("whip_aiortc.py", ["\(there.address)/whip/cellar?name=Ada", path, "100"])
      let connected = await ada.line { $0.contains("connected") }
      #expect(connected != nil)
      try await eventually("four seconds of Ada are recorded here") {
        try await BotTests.age(in: "cellar", of: here) > 4
      }
      here.process.send(SIGKILL)
      _ = await here.process.exitStatus()
      let again = try await Service(["--webhook-private"], folder: folder)
      let bots = try await again.get("/v1/bots").object?["items"]?.array ?? []
      #expect(bots.count == 1)
      try await eventually("the bot hears Ada again") { try await BotTests.state(bot, of: again) == "recording" }
      try await eventually("four more seconds of Ada are recorded") {
        guard try await again.takes(in: "cellar").count == 2 else { return false }
        return try await BotTests.age(in: "cellar", of: again) > 4
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
