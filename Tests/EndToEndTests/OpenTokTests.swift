import TestSupport
import Testing

extension Apps {
  /// The official SDK of servers of apps made for OpenTok, with musicians of other protocols in its sessions.
  @Suite(.serialized) struct OpenTokTests {
    private static let secret = "0123456789abcdef0123456789abcdef01234567"
    private static let otherSecret = "abcdefabcdefabcdefabcdefabcdefabcdefabcd"

    @Test func thePythonSDKSeesAndModeratesMusiciansOfOtherProtocols() async throws {
      let (secret, other) = (OpenTokTests.secret, OpenTokTests.otherSecret)
      let projects = "46000001:\(secret):Band,46000002:\(other)"
      let service = try await Service(environment: ["JAMJAR_OPENTOK_PROJECTS": projects])
      let path = service.path("tune.wav")
      try WaveFile.write(Tune(seed: 22, length: 12).sound(rate: 48_000, seconds: 0..<12), to: path)
      let peer = try PythonPeer.start("opentok_sdk.py", [service.address, "46000001", secret, other, path])
      #expect(await peer.exitStatus() == 0, "\(peer.text)")
      #expect(peer.text.contains("\"done\""), "\(peer.text)")
      await service.close()
    }

    @Test func aWebSocketServerHearsTheMusicThroughTheSDKsAudioConnector() async throws {
      let service = try await Service(
        ["--webhook-private"], environment: ["JAMJAR_OPENTOK_PROJECTS": "46000001:\(OpenTokTests.secret)"])
      let tunes: [String] = ["ada.wav", "bob.wav"].map { service.path($0) }
      for (seed, path) in tunes.enumerated() {
        try WaveFile.write(Tune(seed: UInt64(seed) + 7, length: 12).sound(rate: 48_000, seconds: 0..<12), to: path)
      }
      let peer = try PythonPeer.start(
        "opentok_connector.py", [service.address, "46000001", OpenTokTests.secret] + tunes)
      try await eventually("it is ready for the service's end", or: { peer.text }) {
        peer.text.contains("\"ready\"") || !peer.isRunning
      }
      await service.close()
      #expect(await peer.exitStatus() == 0, "\(peer.text)")
      #expect(peer.text.contains("\"done\""), "\(peer.text)")
    }
  }
}
