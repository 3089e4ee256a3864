import Foundation
import Glibc
import Music
import Signaling
import TestSupport
import Testing

extension Apps {
  /// Senders that others wrote.
  @Suite(.serialized) struct OtherSendersTests {
    /// aiortc codes at 96 kbit/s, ffmpeg at 128: their music resembles the file as much as a browser's does.
    private static let coefficient = 0.95

    /// A file of 48 kHz with a tune of `length` seconds.
    private static func file(_ seed: UInt64, length: Double, service: Service) throws -> (tune: Tune, path: String) {
      let tune = Tune(seed: seed, length: length)
      let path = service.path("tune-\(seed).wav")
      try WaveFile.write(tune.sound(rate: 48_000, seconds: 0..<length), to: path)
      return (tune, path)
    }

    /// Checks that a track holds the tune, which began about a third of a second after the take's zero.
    private static func check(_ track: Service.RecordedTrack, holds tune: Tune, seconds: Double) throws {
      let comparison = try #require(
        Comparison(track.sound, with: tune, expected: 0.2, from: 1.0, to: seconds - 0.5), "the tune is not in the track"
      )
      #expect(comparison.coefficients.allSatisfy { $0 > coefficient }, "\(comparison)")
      #expect(comparison.levels.allSatisfy { abs($0) < 1 }, "\(comparison)")
      #expect(comparison.crosstalk < 0.15)
    }

    @Test func aiortcByWHIPBecomesATrack() async throws {
      let service = try await Service()
      let (tune, path) = try OtherSendersTests.file(11, length: 12, service: service)
      let sender = try PythonPeer.start(
        "whip_aiortc.py", ["\(service.address)/whip/whip-room?name=Ada&part=piano", path, "6"])
      let answered = await sender.line { $0.contains("answered") } ?? ""
      #expect(answered.contains("\"status\": 201"), "\(sender.text)")
      #expect(answered.contains("/whip/whip-room/"))
      #expect(await sender.line { $0.contains("connected") } != nil)
      #expect(await sender.exitStatus() == 0, "\(sender.text)")
      #expect(sender.text.contains("{\"event\": \"deleted\", \"status\": 200}"))
      let take = try await service.finishedTake(in: "whip-room")
      #expect(take.state == "ready")
      let track = try #require(take.tracks.first)
      #expect(track.participant == "Ada")
      #expect(track.part == "piano")
      #expect(track.losses.isEmpty)
      // It answers no report; the checks of its path say how exactly it lies.
      #expect(track.errorBound(in: 0...5) < 0.1)
      try OtherSendersTests.check(track, holds: tune, seconds: 5.5)
      await service.close()
    }

    @Test func ffmpegByPlainRTPBecomesATrackEvenWithGarbageOnItsPort() async throws {
      let service = try await Service()
      let (tune, path) = try OtherSendersTests.file(12, length: 8, service: service)
      let answer = try await HTTP.send(
        "POST", "\(service.address)/v1/rooms/studio%20A/rtp",
        json: ["name": "Tape", "part": "tape", "profile": "RTP/AVP", "payloadType": 111, "ssrc": 4711])
      #expect(answer.status == 201)
      let input = try #require(try answer.json.object)
      let port = try #require(input["port"]?.integer.flatMap(UInt16.init(exactly:)))
      let sender = try ChildProcess(
        "ffmpeg",
        [
          "-loglevel", "error", "-re", "-i", path, "-t", "6", "-c:a", "libopus", "-b:a", "128k",
          "-application", "audio", "-payload_type", "111", "-ssrc", "4711", "-f", "rtp",
          "rtp://\(input["host"]?.string ?? ""):\(port)",
        ])
      try Garbage.throwDatagrams(at: port, count: 500, seed: 5)
      #expect(await sender.exitStatus() == 0, "\(sender.text)")
      let ended = try await HTTP.send(
        "DELETE", "\(service.address)/v1/rooms/studio%20A/rtp/\(input["id"]?.string ?? "")")
      #expect((200..<300).contains(ended.status))
      let take = try await service.finishedTake(in: "studio A")
      let track = try #require(take.track(of: "Tape"))
      try OtherSendersTests.check(track, holds: tune, seconds: 5.5)
      await service.close()
    }

    @Test func aTakeIsWholeWhenTheServiceIsTerminatedInTheMiddle() async throws {
      let folder = try TemporaryFolder()
      let service = try await Service(folder: folder)
      let (tune, path) = try OtherSendersTests.file(13, length: 12, service: service)
      let answer = try await HTTP.send(
        "POST", "\(service.address)/v1/rooms/term/rtp",
        json: ["name": "Tape", "profile": "RTP/AVP", "payloadType": 111])
      let input = try #require(try answer.json.object)
      let sender = try ChildProcess(
        "ffmpeg",
        [
          "-loglevel", "error", "-re", "-i", path, "-c:a", "libopus", "-b:a", "128k", "-payload_type", "111",
          "-f", "rtp", "rtp://\(input["host"]?.string ?? ""):\(input["port"]?.integer ?? 0)",
        ])
      try await eventually("a take of 6 seconds rolls", or: { service.process.text }) {
        let take = try await service.takes(in: "term").first
        guard let startedAt = take?["startedAt"]?.string.flatMap(WallTime.init) else { return false }
        return Date().timeIntervalSince1970 - Double(startedAt.milliseconds) / 1e3 > 6
      }
      #expect(await service.close() == 0)
      await sender.terminate()
      let again = try await Service(folder: folder)
      let take = try await again.finishedTake(in: "term")
      #expect(take.state == "ready")
      try OtherSendersTests.check(try #require(take.tracks.first), holds: tune, seconds: 6)
      await again.close()
    }
  }
}
