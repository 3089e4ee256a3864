import Testing

extension Programs {
  /// The service as WebSocket clients of others reach it.
  @Suite struct OtherSocketsTests {
    @Test func aiohttpSpeaksCompressedAndBySockJS() async throws {
      let service = try await Service()
      let peer = try PythonPeer.start("sockets.py", [service.address])
      #expect(await peer.exitStatus() == 0, "\(peer.text)")
      #expect(peer.text.contains("compressed messages pass") && peer.text.contains("by SockJS"), "\(peer.text)")
      await service.close()
    }
  }
}
