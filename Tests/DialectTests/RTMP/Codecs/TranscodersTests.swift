import NIOHTTP1
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(2))) struct TranscodersTests {
  @Test func aConnectionHasItsShareAndNoMore() throws {
    let transcoders = Transcoders(limit: 10, perConnection: 2)
    let (greedy, modest) = (transcoders.share(), transcoders.share())
    for _ in 0..<2 { try greedy.enterWithWorker() }
    let refusal = #expect(throws: RTMPCallError.self) { try greedy.enterWithWorker() }
    #expect(refusal?.description.hasPrefix("2 streams of this connection") == true)
    try modest.enterWithWorker()
    #expect(transcoders.current == .init(running: 3, refused: 1))
    greedy.leaveWithWorker()
    try greedy.enterWithWorker()
  }

  @Test func allTogetherHaveALimit() throws {
    let transcoders = Transcoders(limit: 3, perConnection: 2)
    let shares = (0..<3).map { _ in transcoders.share() }
    for share in shares { try share.enterWithWorker() }
    let refusal = #expect(throws: RTMPCallError.self) { try shares[0].enterWithWorker() }
    #expect(refusal?.description.hasPrefix("3 streams are converted") == true)
    shares[1].leaveWithWorker()
    // The refused one has not used up its share.
    try shares[0].enterWithWorker()
    #expect(transcoders.current == .init(running: 3, refused: 1))
  }

  @Test func aPlayerOfASharedEncoderTakesAPlaceOfItsConnectionOnly() throws {
    let transcoders = Transcoders(limit: 1, perConnection: 2)
    let share = transcoders.share()
    try transcoders.enter()
    for _ in 0..<2 { try share.enter() }
    #expect(throws: RTMPCallError.self) { try share.enter() }
    #expect(transcoders.current == .init(running: 1, refused: 1))
  }

  @Test func aPlayerWithoutAPlaceIsToldSo() async throws {
    try await TestService.with({
      $0.rtmp = .init(0)
      $0.limits.transcoders = 0
    }) { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        client.send(.play(name: "mix"))
        let failed = try await client.next { output -> RTMPStatus? in
          if case .status(_, let status) = output, status.code == RTMPStatus.Code.playFailed { status } else { nil }
        }
        #expect(failed.description.contains("use Opus"), "\(failed)")
        let metrics = try await service.send(.GET, "/metrics").text
        #expect(metrics.contains("jamjar_transcoders_refused_total 1\n"))
        #expect(metrics.contains("jamjar_transcoders 0\n") && metrics.contains("jamjar_transcoders_limit 0\n"))
      }
    }
  }
}
