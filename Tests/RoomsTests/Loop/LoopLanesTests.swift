import CLinux
import Glibc
import Machines
import Recording
import Synchronization
import Testing

@testable import Rooms

/// What many bring about at once holds up nobody's packets: media is read between any two steps of it.
@Suite(.timeLimit(.minutes(1))) struct LoopLanesTests {
  /// Longer than a lane's share of a turn, in microseconds.
  private static let step: UInt32 = 300
  private static let steps = 40

  /// What happened, in order; on the loop's thread only.
  private final class Course {
    var events: [String] = []
    /// How many steps were done between the sending of each packet and its reading.
    var delays: [Int] {
      events.indices.filter { events[$0] == "sent" }.map { sent in
        let read = events[sent...].firstIndex(of: "read") ?? events.count
        return events[sent..<read].count { $0 == "step" }
      }
    }
  }

  /// A descriptor that is always readable, like a socket with much in it, or a musician's.
  private final class Source: LoopSource {
    let isMedia: Bool
    private let descriptor: Int32
    private var id: MediaLoop.SourceID?
    private let loop: MediaLoop
    private let onReady: () -> Void
    private let onDeadline: () -> Void

    init(on loop: MediaLoop, isMedia: Bool, onReady: @escaping () -> Void, onDeadline: @escaping () -> Void = {}) {
      (self.loop, self.isMedia, self.onReady, self.onDeadline) = (loop, isMedia, onReady, onDeadline)
      descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      let id = loop.add(self)
      self.id = id
      loop.watch(descriptor, for: id)
    }

    func send() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, 8)
    }

    func wake() { if let id { loop.wake(id, by: MonotonicClock.now) } }

    func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? {
      var value: UInt64 = 0
      _ = read(descriptor, &value, 8)
      onReady()
      return nil
    }

    func deadlineReached(at now: MonotonicTime) { onDeadline() }

    func close() {
      if let id { loop.remove(id) }
      Glibc.close(descriptor)
    }
  }

  private actor Stage {
    private let loop: MediaLoop
    private let course = Course()
    private var sources: [Source] = []
    private var musician: Source?
    private var remaining = LoopLanesTests.steps
    private var finished: CheckedContinuation<Void, Never>?
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init() throws { loop = try MediaLoop(name: "loop-lanes") }

    /// One musician's socket.
    private func play() {
      let source = Source(on: loop, isMedia: true) { [course] in course.events.append("read") }
      musician = source
      sources.append(source)
    }

    /// Something that takes long, during which a packet arrives.
    private func step() {
      course.events.append("step")
      usleep(LoopLanesTests.step)
      course.events.append("sent")
      musician?.send()
      remaining -= 1
      if remaining == 0 { finished?.resume() }
    }

    func jobs() async -> [Int] {
      await run { for _ in 0..<LoopLanesTests.steps { Task { self.step() } } }
    }

    func sockets() async -> [Int] {
      await run {
        for _ in 0..<LoopLanesTests.steps {
          let stranger = Source(on: loop, isMedia: false) { self.assumeIsolated { $0.step() } }
          sources.append(stranger)
          stranger.send()
        }
      }
    }

    func deadlines() async -> [Int] {
      await run {
        for _ in 0..<LoopLanesTests.steps {
          let late = Source(on: loop, isMedia: false, onReady: {}) { self.assumeIsolated { $0.step() } }
          sources.append(late)
          late.wake()
        }
      }
    }

    /// A third of each.
    func all() async -> [Int] {
      await run {
        for number in 0..<LoopLanesTests.steps {
          switch number % 3 {
          case 0: Task { self.step() }
          case 1:
            let stranger = Source(on: loop, isMedia: false) { self.assumeIsolated { $0.step() } }
            sources.append(stranger)
            stranger.send()
          default:
            let late = Source(on: loop, isMedia: false, onReady: {}) { self.assumeIsolated { $0.step() } }
            sources.append(late)
            late.wake()
          }
        }
      }
    }

    /// Begins all steps at once, beside a musician; answers how many passed between each packet and its reading.
    private func run(_ begin: () -> Void) async -> [Int] {
      play()
      await withCheckedContinuation { continuation in
        finished = continuation
        begin()
      }
      return delays()
    }

    private func delays() -> [Int] {
      for source in sources { source.close() }
      // The last packet was sent in the last step, and nobody waits for it.
      return course.delays.dropLast()
    }
  }

  @Test func packetsAreReadBetweenJobs() async throws {
    let delays = try await Stage().jobs()
    #expect(delays.count == LoopLanesTests.steps - 1 && delays.allSatisfy { $0 <= 1 }, "\(delays)")
  }

  @Test func packetsAreReadBetweenSocketsOfNewcomers() async throws {
    let delays = try await Stage().sockets()
    #expect(delays.count == LoopLanesTests.steps - 1 && delays.allSatisfy { $0 <= 1 }, "\(delays)")
  }

  @Test func packetsAreReadBetweenDeadlines() async throws {
    let delays = try await Stage().deadlines()
    #expect(delays.count == LoopLanesTests.steps - 1 && delays.allSatisfy { $0 <= 1 }, "\(delays)")
  }

  @Test func packetsAreReadBetweenStepsOfAnyKind() async throws {
    let delays = try await Stage().all()
    #expect(delays.count == LoopLanesTests.steps - 1 && delays.allSatisfy { $0 <= 1 }, "\(delays)")
  }

  @Test func aTurnThatIsFilledLeavesTheNextToTheNextLane() {
    var order = LaneOrder()
    var first: [LaneOrder.Lane?] = []
    for isFilled in [true, true, true, true, false, true] {
      first.append(order.lanes.first)
      #expect(Set(order.lanes) == Set(LaneOrder.Lane.allCases))
      order.turn(hasSpentItsTime: isFilled)
    }
    #expect(first == [.newcomers, .deadlines, .jobs, .newcomers, .deadlines, .newcomers])
  }
}
