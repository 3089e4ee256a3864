import Glibc
import Signaling
import Testing

extension Machine {
  /// The recorder stands still for seconds, as a paused machine does, while musicians play on.
  @Suite struct StoppedRecorderTests {
    /// Seconds of a track that late stamps make gaps of, at most.
    private static let latestStamps = 0.2

    /// Returns when so many seconds of sound have been played in real time.
    private func play(seconds: Int) async throws {
      let clock = try ChildProcess(
        "ffmpeg", ["-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=duration=\(seconds)", "-f", "null", "-"])
      #expect(await clock.exitStatus() == 0, "\(clock.text)")
    }

    @Test func nothingOfWhatItWasSentIsMissing() async throws {
      let service = try await Service()
      let senders = [
        try await ToneSender("ada", frequency: 300, in: "rtp", of: service),
        try await ToneSender("bob", frequency: 500, in: "rtp", of: service),
      ]
      // Real ICE, DTLS and SRTP, in packets as short as a browser's.
      let musicians = try ChildProcess(
        try Service.executable(),
        ["play", "--port", "\(service.port)", "--room", "webrtc", "--deaf", "--packet-time", "10", "--seconds", "14"])
      for room in ["rtp", "webrtc-1"] { _ = try await service.rollingTake(in: room, lasting: 2) }

      service.process.send(SIGSTOP)
      try await play(seconds: 6)
      service.process.send(SIGCONT)

      #expect(await musicians.exitStatus() == 0, "\(musicians.text)")
      for sender in senders { try await sender.end() }
      for (room, count) in [("rtp", 2), ("webrtc-1", 3)] {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "ready" && take.tracks.count == count)
        for track in take.tracks {
          let words = "\(room), \(track.participant): \(track.gaps.map(\.text))"
          #expect(track.losses.isEmpty && track.count("lostPackets") == 0, "\(words)")
          // Synthetic musicians on a busy machine stamp some packets a few milliseconds late, which are standstills of
          // their microphones then. The recorder's own was blamed on them too.
          let missing = track.gaps.reduce(0) { $0 + ($1.object?["duration"]?.double ?? 0) }
          #expect(missing < StoppedRecorderTests.latestStamps, "\(words)")
          #expect(Double(track.sound.frames) / Double(track.sound.rate) > 9)
        }
      }
      await service.close()
    }
  }
}
