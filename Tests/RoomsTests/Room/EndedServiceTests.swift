import Synchronization
import TestSupport
import Testing

@testable import Rooms

/// A service that has ended leaves nothing behind: no threads, no open files.
@Suite(.timeLimit(.minutes(5))) struct EndedServiceTests {
  /// Tells if something is still held by anybody.
  private final class Trace: Sendable {
    private struct Reference { weak var loops: MediaLoops? }
    private let reference = Mutex(Reference())
    init(of loops: MediaLoops) { reference.withLock { $0.loops = loops } }
    var isHeld: Bool { reference.withLock { $0.loops != nil } }
  }

  @Test func nothingHoldsItsParts() async throws {
    let trace: Trace
    do {
      let service = try await LiveService()
      trace = Trace(of: service.broker.services.mixLoops)
      let (membership, peer) = try await service.musician("Ada", in: "cellar")
      #expect(trace.isHeld)
      await peer.close()
      await membership.leave()
      await service.end()
    }
    try await eventually("the ended service is freed") { !trace.isHeld }
  }
}
