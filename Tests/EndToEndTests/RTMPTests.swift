import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension Apps {
  /// Encoders that speak RTMP, as they are.
  @Suite(.serialized) struct RTMPTests {
    /// An encoder that sends 700 Hz until it is ended.
    private func tone(to address: String) throws -> ChildProcess {
      try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=frequency=700:sample_rate=48000",
          "-ac", "2", "-c:a", "aac", "-f", "flv", address,
        ])
    }

    /// rtmp2sink is GStreamer's own client, rtmpsink is librtmp.
    @Test func gstreamerPublishesAndIsRecorded() async throws {
      let port = try Service.freePort()
      // Neither says goodbye: their seats are kept for the grace period.
      let service = try await Service(["--rtmp-port", "\(port)", "--grace", "1"])
      do {
        // Both at the same time: it is the music that takes time.
        let encoders = try ["rtmp2sink", "rtmpsink"].map { sink in
          let words = [
            "-q", "audiotestsrc", "num-buffers=150", "freq=600", "is-live=true", "!", "audioconvert", "!",
            "audio/x-raw,rate=48000,channels=2", "!", "voaacenc", "!", "flvmux", "streamable=true", "!", sink,
            "location=rtmp://127.0.0.1:\(port)/\(sink)/synth",
          ]
          return (sink, try ChildProcess("gst-launch-1.0", words))
        }
        for (sink, encoder) in encoders {
          #expect(await encoder.exitStatus() == 0, "\(sink): \(encoder.text)")
          let take = try await service.finishedTake(in: sink)
          let track = try #require(take.track(of: "synth"))
          #expect(track.sound.share(of: 600) > 0.95, "\(sink)")
        }
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    @Test func aPlayerHearsTheMusicianAndTheMix() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let address = "rtmp://127.0.0.1:\(port)/studio"
        let encoder = try tone(to: "\(address)/guitar")
        try await eventually("the musician plays") {
          try await service.get("/v1/rooms").object?["items"]?.array?.first?.object?["members"]?.array?.first?
            .object?["publishing"] == true
        }
        let players = try ["guitar", "mix"].map { name in
          let file = service.path("\(name).wav")
          let words = [
            "-hide_banner", "-loglevel", "error", "-analyzeduration", "1M", "-i", "\(address)/\(name)", "-t", "2", file,
          ]
          return (name, file, try ChildProcess("ffmpeg", words))
        }
        for (name, file, player) in players {
          #expect(await player.exitStatus() == 0)
          let heard = try WaveFile.read(file)
          // Where packets come late, the mix plays slower before it runs dry.
          let tolerance = name == "mix" ? 7 : 0
          let tenths = heard.energies(of: 700, within: tolerance).map { $0.own / $0.whole }
          #expect(heard.share(of: 700, within: tolerance) > 0.9, "\(name), by tenths of a second: \(tenths)")
          // Not even for the moment in which it comes in.
          let (first, rest) = (heard.left.prefix(heard.rate / 5), heard.left.dropFirst(heard.rate))
          let peaks = [first, rest].map { $0.reduce(0) { max($0, abs($1)) } }
          #expect(peaks[0] < 1.2 * peaks[1], "\(name) begins louder than it goes on")
        }
        await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    @Test func ffmpegPublishesAACAndIsRecordedInItsPlace() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let encoder = try ChildProcess(
          "ffmpeg",
          [
            "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i",
            "aevalsrc='sin(2*PI*700*t)*gte(t,1)':s=48000:d=4", "-ac", "2", "-c:a", "aac", "-b:a", "160k", "-f", "flv",
            "rtmp://127.0.0.1:\(port)/studio/guitar",
          ])
        #expect(await encoder.exitStatus() == 0)
        let take = try await service.finishedTake(in: "studio")
        let track = try #require(take.track(of: "guitar"))
        #expect(track.sound.share(of: 700) > 0.95)
        #expect(track.losses.isEmpty)
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    /// A musician beside it loses nothing, and its own track lacks only what the process had.
    @Test func aKilledDecoderIsReplacedByAnotherThatIsConfined() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let encoders = try ["guitar", "bass"].map { name in
          try ChildProcess(
            "ffmpeg",
            [
              "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i",
              "sine=frequency=700:sample_rate=44100:duration=8", "-ac", "1", "-c:a", "aac", "-f", "flv",
              "rtmp://127.0.0.1:\(port)/studio/\(name)",
            ])
        }
        try await eventually("both have their process, and it is confined") {
          service.decoders.count == 2 && service.decoders.allSatisfy { Service.isConfined($0) }
        }
        let before = Set(service.decoders)
        let victim = try #require(before.first)
        kill(victim, SIGKILL)
        try await eventually("another one is there") {
          let now = Set(service.decoders)
          return now.count == 2 && !now.contains(victim)
        }
        for encoder in encoders { #expect(await encoder.exitStatus() == 0, "\(encoder.text)") }
        let take = try await service.finishedTake(in: "studio")
        let tracks = try ["guitar", "bass"].map { try #require(take.track(of: $0)) }
        for track in tracks { #expect(Double(track.sound.frames) / 48_000 > 7.5) }
        #expect(tracks.count { $0.gaps.isEmpty } >= 1)
        try await eventually("no process is left") { service.decoders.isEmpty }
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    @Test func manyPlayersOfTheMixShareOneEncoder() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let address = "rtmp://127.0.0.1:\(port)/studio"
        let encoder = try tone(to: "\(address)/guitar")
        try await eventually("the musician is decoded") { service.decoders.count == 1 }
        let files = (0..<5).map { service.path("\($0).wav") }
        let players = try files.map { file in
          try ChildProcess(
            "ffmpeg", ["-hide_banner", "-loglevel", "error", "-i", "\(address)/mix", "-t", "2", file])
        }
        var most = 0
        for player in players {
          try await eventually("a player has heard enough") {
            most = max(most, service.decoders.count)
            return !Service.isAlive(player.identifier)
          }
          #expect(await player.exitStatus() == 0)
        }
        for file in files { #expect(try WaveFile.read(file).share(of: 700, within: 7) > 0.9) }
        #expect(most == 2, "one decoder and one encoder")
        try await eventually("the encoder is gone") { service.decoders.count == 1 }
        await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }
  }
}
