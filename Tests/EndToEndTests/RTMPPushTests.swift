import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension Programs {
  /// Files that ffmpeg pushes as fast as the connection takes them, which is what it does without `-re`.
  @Suite(.serialized) struct RTMPPushTests {
    private static let tone = "sine=frequency=700:sample_rate=48000"
    /// Noise takes as many bits as it may.
    private static let noise = "anoisesrc=amplitude=0.2:sample_rate=48000"

    /// An FLV file of a tone, or of noise, in AAC.
    /// - Parameter times: how often the sound is repeated, which costs no encoding; where it begins anew there is a seam.
    static func file(
      seconds: Double, times: Int = 1, of source: String = tone, bitrate: String = "160k", in service: Service
    ) async throws -> String {
      let (once, file) = (service.path("\(seconds).flv"), service.path("\(times) times \(seconds).flv"))
      let encoding = [
        "-f", "lavfi", "-i", source, "-t", "\(seconds)", "-ac", "2", "-c:a", "aac", "-b:a", bitrate, once,
      ]
      let repeating = ["-stream_loop", "\(times - 1)", "-i", once, "-c", "copy", file]
      for words in times == 1 ? [encoding] : [encoding, repeating] {
        let ffmpeg = try ChildProcess("ffmpeg", ["-hide_banner", "-loglevel", "error"] + words)
        guard await ffmpeg.exitStatus() == 0 else { throw EndToEndFailure(ffmpeg.text) }
      }
      return times == 1 ? once : file
    }

    static func push(_ file: String, to port: UInt16) throws -> ChildProcess {
      try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-loglevel", "error", "-i", file, "-c", "copy", "-f", "flv",
          "rtmp://127.0.0.1:\(port)/studio/guitar",
        ])
    }

    /// The name is the same each time: it must be free again.
    @Test func aFileIsRecordedWholeAndLeavesNothingBehind() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        for (index, seconds) in [40, 24, 1.5].enumerated() {
          let encoder = try RTMPPushTests.push(try await RTMPPushTests.file(seconds: seconds, in: service), to: port)
          #expect(await encoder.exitStatus() == 0, "\(encoder.text)")
          let take = try await service.finishedTake(in: "studio", count: index + 1)
          let track = try #require(take.track(of: "guitar"))
          #expect(Double(track.sound.frames) / 48_000 > seconds)
          #expect(track.sound.share(of: 700) > 0.95)
          #expect(track.gaps.isEmpty)
          try await eventually("nothing of the connection is left") {
            let members = try await service.members(of: "studio")
            return try members.isEmpty && service.decoders.isEmpty && Service.halfClosed(port: port) == 0
          }
        }
      } catch {
        await service.close()
        throw error
      }
      #expect(await service.close() == 0)
    }

    /// Most of it is still in the kernel's buffers when the encoder has gone: whatever it were told now would be answered
    /// by a reset.
    @Test func whatAnEncoderSentBeforeItWentIsRecordedToTheEnd() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let file = try await RTMPPushTests.file(
          seconds: 30.5, times: 5, of: RTMPPushTests.noise, bitrate: "512k", in: service)
        let encoder = try RTMPPushTests.push(file, to: port)
        #expect(await encoder.exitStatus() == 0, "\(encoder.text)")
        try await eventually("the stream is over", within: .seconds(120)) {
          try await service.members(of: "studio").isEmpty
        }
        let take = try await service.finishedTake(in: "studio")
        #expect(Double(try #require(take.track(of: "guitar")).sound.frames) / 48_000 > 150)
      } catch {
        await service.close()
        throw error
      }
      #expect(await service.close() == 0)
    }

    /// What no decoder does by itself: it is stopped, while the encoder pushes on.
    @Test func aDecoderThatStandsStillKeepsNobody() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)", "--grace", "1"])
      do {
        // More than the kernel's buffers and the queues hold, in as few seconds of sound as possible.
        let file = try await RTMPPushTests.file(
          seconds: 20, times: 20, of: RTMPPushTests.noise, bitrate: "512k", in: service)
        let encoder = try RTMPPushTests.push(file, to: port)
        try await eventually("a decoder runs") { !service.decoders.isEmpty }
        for child in service.decoders { kill(child, SIGSTOP) }
        try await eventually(
          "nothing of the connection is left", or: { service.process.text }, within: .seconds(90)
        ) {
          let members = try await service.members(of: "studio")
          return try members.isEmpty && service.decoders.isEmpty && Service.halfClosed(port: port) == 0
        }
        _ = await encoder.terminate()
        let second = try RTMPPushTests.push(try await RTMPPushTests.file(seconds: 3, in: service), to: port)
        #expect(await second.exitStatus() == 0, "\(second.text)")
      } catch {
        await service.close()
        throw error
      }
      #expect(await service.close() == 0)
    }
  }
}
