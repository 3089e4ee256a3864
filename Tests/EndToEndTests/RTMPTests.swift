import Foundation
import Signaling
import TestSupport
import Testing

extension EndToEnd {
  /// Encoders that speak RTMP, as they are.
  @Suite(.serialized) struct RTMPTests {
    /// rtmp2sink is GStreamer's own client, rtmpsink is librtmp.
    @Test(arguments: ["rtmp2sink", "rtmpsink"])
    func gstreamerPublishesAndIsRecorded(sink: String) async throws {
      let port = try Service.freePort()
      // Neither says goodbye: their seats are kept for the grace period.
      let service = try await Service(["--rtmp-port", "\(port)", "--grace", "1"])
      do {
        let encoder = try ChildProcess(
          "gst-launch-1.0",
          [
            "-q", "audiotestsrc", "num-buffers=150", "freq=600", "is-live=true", "!", "audioconvert", "!",
            "audio/x-raw,rate=48000,channels=2", "!", "voaacenc", "!", "flvmux", "streamable=true", "!", sink,
            "location=rtmp://127.0.0.1:\(port)/studio/synth",
          ])
        #expect(await encoder.exitStatus() == 0)
        let take = try await service.finishedTake(in: "studio")
        let track = try #require(take.track(of: "synth"))
        #expect(track.sound.share(of: 600) > 0.95)
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
        let encoder = try ChildProcess(
          "ffmpeg",
          [
            "-hide_banner", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=frequency=700:sample_rate=48000",
            "-ac", "2", "-c:a", "aac", "-f", "flv", "\(address)/guitar",
          ])
        try await eventually("the musician plays") {
          try await service.get("/v1/rooms").object?["items"]?.array?.first?.object?["members"]?.array?.first?
            .object?["publishing"] == true
        }
        for name in ["guitar", "mix"] {
          let file = service.path("\(name).wav")
          let player = try ChildProcess(
            "ffmpeg", ["-hide_banner", "-loglevel", "error", "-i", "\(address)/\(name)", "-t", "2", file])
          #expect(await player.exitStatus() == 0)
          let heard = try WaveFile.read(file)
          #expect(heard.share(of: 700) > 0.9, "\(name)")
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
  }
}
