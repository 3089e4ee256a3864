import Foundation
import Glibc
import Signaling
import TestSupport
import Testing

extension EndToEnd {
  /// Files that ffmpeg pushes as fast as the connection takes them, which is what it does without `-re`.
  @Suite(.serialized) struct RTMPPushTests {
    /// An FLV file of a tone, or of noise that takes as many bits as it may, in AAC.
    static func file(
      seconds: Double, of source: String = "sine=frequency=700:sample_rate=48000", bitrate: String = "160k",
      in service: Service
    ) async throws -> String {
      let file = service.path("\(seconds).flv")
      let encoder = try ChildProcess(
        "ffmpeg",
        [
          "-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i", source, "-t",
          "\(seconds)", "-ac", "2", "-c:a", "aac", "-b:a", bitrate, "-f", "flv", file,
        ])
      guard await encoder.exitStatus() == 0 else { throw EndToEndFailure(encoder.text) }
      return file
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
          seconds: 150, of: "anoisesrc=amplitude=0.2:sample_rate=48000", bitrate: "512k", in: service)
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
        let file = try await RTMPPushTests.file(seconds: 600, in: service)
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
