import Foundation
import Glibc
import Recording
import Signaling
import TestSupport
import Testing

extension Apps {
  /// Where the sound of RTMP encoders lies, on connections that are not good.
  @Suite(.serialized) struct RTMPPlaceTests {
    private static let rate = 48_000
    /// In seconds. A frame in the wrong place is 21 ms off; on a busy machine the relay alone takes one or two.
    /// `script/bench wander` measures how exactly the line lies.
    private static let bearable = 0.005

    /// By how many seconds the second track is later than the first, in the second that begins at `start`.
    private static func lag(_ first: Sound, _ second: Sound, at start: Double) -> Double? {
      let begin = Int(start * Double(rate))
      let reach = rate / 20
      let played = Array(first.left.dropFirst(begin + reach).prefix(rate))
      let recorded = Array(second.left.dropFirst(begin).prefix(rate + 2 * reach))
      guard played.count == rate, recorded.count == rate + 2 * reach else { return nil }
      let padding = [Float](repeating: 0, count: reach)
      let match = CrossCorrelation.align(recorded, to: padding + played + padding, maximumLag: reach)
      return match.map { $0.lag / Double(rate) }
    }

    /// One encoder sends the same sound twice: as AAC by RTMP, of which frames are corrupted and lost on the way, and as
    /// Opus by RTP.
    @Test func aMusicianByRTMPLiesWhereTheSameSoundLiesByRTP() async throws {
      let (port, listening) = (try Service.freePort(), try Service.freePort())
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let answer = try await HTTP.send(
          "POST", "\(service.address)/v1/rooms/studio/rtp",
          json: ["name": "Tape", "profile": "RTP/AVP", "payloadType": 111, "ssrc": 4711])
        let input = try #require(try answer.json.object)
        let relay = try PythonPeer.start(
          "rtmp_relay.py",
          ["\(listening)", "\(port)", "--corrupt", "0.015", "--drop", "0.015", "--until", "670"])
        #expect(await relay.line { $0.contains("ready") } != nil)
        let encoder = try ChildProcess(
          "ffmpeg",
          [
            "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i",
            "anoisesrc=d=15:c=pink:r=48000:a=0.5:s=7,lowpass=6000", "-map", "0", "-ac", "2", "-c:a", "aac", "-b:a",
            "192k", "-f", "flv", "rtmp://127.0.0.1:\(listening)/studio/guitar", "-map", "0", "-ac", "2", "-c:a",
            "libopus", "-b:a", "160k", "-application", "audio", "-payload_type", "111", "-ssrc", "4711", "-f", "rtp",
            "rtp://\(input["host"]?.string ?? ""):\(input["port"]?.integer ?? 0)",
          ])
        #expect(await encoder.exitStatus() == 0, "\(encoder.text)")
        #expect(await relay.exitStatus() == 0, "\(relay.text)")
        _ = try await HTTP.send(
          "DELETE", "\(service.address)/v1/rooms/studio/rtp/\(input["id"]?.string ?? "")")
        let take = try await service.finishedTake(in: "studio")
        let (tape, guitar) = (try #require(take.track(of: "Tape")), try #require(take.track(of: "guitar")))
        for start in [1.0, 2, 4, 7, 10, 13] {
          let lag = try #require(RTMPPlaceTests.lag(tape.sound, guitar.sound, at: start))
          #expect(abs(lag) < RTMPPlaceTests.bearable, "\(lag * 1_000) ms at \(start) s")
        }
        let line = try #require(relay.text.split(separator: "\n").last { $0.hasPrefix("{") })
        let counts = try #require(try JSONValue(parsing: Array(line.utf8)).object)
        let (corrupted, dropped) = (counts["corrupted"]?.integer ?? 0, counts["dropped"]?.integer ?? 0)
        #expect(corrupted > 5 && dropped > 5)
        // Two in a row are one gap, and random bytes decode once in a while.
        let faults = Int(corrupted + dropped)
        #expect(guitar.losses.count >= faults * 3 / 4 && guitar.losses.count <= faults, "\(faults) faults")
        #expect(guitar.losses.allSatisfy { $0.object?["cause"]?.string == "loss" })
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    /// What was sent at once had been waiting: nothing of it is missing, and nothing is drawn out.
    @Test func anEncoderThatSendsInBurstsLosesNothing() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        // Each in a room of its own at the same time: it is the music that takes time.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for burst in [0.1, 0.853, 2.0] {
            group.addTask { try await RTMPPlaceTests.play(inBurstsOf: burst, through: port, into: service) }
          }
          try await group.waitForAll()
        }
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    private static func play(inBurstsOf burst: Double, through port: UInt16, into service: Service) async throws {
      let (room, listening) = ("bursts-\(Int(burst * 1_000))", try Service.freePort())
      let relay = try PythonPeer.start("rtmp_relay.py", ["\(listening)", "\(port)", "--burst", "\(burst)"])
      #expect(await relay.line { $0.contains("ready") } != nil)
      let encoder = try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i",
          "sine=frequency=700:sample_rate=48000:duration=8", "-ac", "2", "-c:a", "aac", "-b:a", "160k", "-f", "flv",
          "rtmp://127.0.0.1:\(listening)/\(room)/guitar",
        ])
      #expect(await encoder.exitStatus() == 0, "\(encoder.text)")
      #expect(await relay.exitStatus() == 0, "\(relay.text)")
      let take = try await service.finishedTake(in: room)
      let track = try #require(take.track(of: "guitar"))
      let heard = track.sound.left.indices.filter { track.sound.left[$0].magnitude > 0.02 }
      let (first, last) = (try #require(heard.first), try #require(heard.last))
      let seconds = Double(last - first) / 48_000
      #expect(abs(seconds - 8) < 0.1, "\(seconds) s of 8 in bursts of \(burst) s")
      // The connection ends a burst later than the sound, which is listed.
      let gaps = track.gaps.filter { ($0.object?["start"]?.double ?? 0) * 48_000 < Double(last) - 4_800 }
      #expect(gaps.isEmpty, "bursts of \(burst) s")
      let sound = Sound(rate: 48_000, channels: [Array(track.sound.left[first...last])])
      #expect(sound.share(of: 700) > 0.95, "bursts of \(burst) s")
    }
  }
}
