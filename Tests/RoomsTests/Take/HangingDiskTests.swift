import Foundation
import Machines
import Music
import Realtime
import Recording
import Synchronization
import TestSupport
import Testing

@testable import Rooms

/// A disk that hangs costs the music that no memory holds, and nothing else.
@Suite(.timeLimit(.minutes(2))) struct HangingDiskTests {
  /// A disk whose calls return only while it is told to answer.
  private final class HangingDisk: JournalStorage {
    private let bytes = Mutex<[UInt8]>([])
    private let gate = DispatchSemaphore(value: 0)

    var contents: [UInt8] { bytes.withLock { $0 } }
    var size: Int64 { bytes.withLock { Int64($0.count) } }
    var isLinked: Bool { true }

    func answer() { gate.signal() }

    private func hang() {
      gate.wait()
      gate.signal()
    }

    func append(_ new: [UInt8]) throws(FileProblem) {
      hang()
      bytes.withLock { $0 += new }
    }

    func sync() throws(FileProblem) { hang() }
    func truncate(to size: Int64) throws(FileProblem) {}
    func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] { [] }
    func reserve(_ bytes: Int64) throws(FileProblem) { hang() }
    func releaseReserve() throws(FileProblem) {}
  }

  /// A take on a hanging disk, and three musicians at the highest rate of Opus.
  private struct Scene {
    let disk = HangingDisk()
    let writer = DiskWriter()
    let lane: JournalLane
    let capture: Capture
    let take: Take
    let folder: TakeFolder
    let zero = MonotonicTime(nanoseconds: 1_000_000_000)

    static let payload = [UInt8](repeating: 7, count: 1_275)

    init() throws {
      let now = WallTime(milliseconds: 1_795_230_000_000)
      var take = Take(
        id: TakeID(at: now), number: 1, state: .rolling, room: try RoomName(checking: "studio"),
        session: SessionID(at: now), startedAt: now, folder: "")
      take.folder = TakeFolder.relativePath(for: take)
      let root = FileManager.default.temporaryDirectory.appending(
        path: "jamjar-hanging-\(UInt64.random(in: 0 ... .max))"
      ).path
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      let folder = try TakeFolder.create(for: take, in: root)
      try? FileManager.default.removeItem(atPath: root)
      self.folder = folder
      self.take = take
      lane = JournalLane(storage: disk, rescue: { () throws(FileProblem) in folder }, report: { _ in })
      capture = Capture(take: take.id, zero: zero, startedAt: now, songTitle: nil)
      for name in ["ada", "bob", "cyd"] {
        _ = capture.openTrack(
          for: Participant(id: ParticipantID(at: now), name: try DisplayName(checking: name)), part: nil,
          origin: "test", stream: JournalStream(opusPayloadType: 111), at: zero)
      }
    }

    func attach() {
      capture.attach(
        lane, take: take, folder: folder, header: JournalHeader(take: take, zero: zero, software: "test")
      ) { [writer] in writer.schedule($0) }
    }

    /// What the loop does in these seconds of music, at once. A call that waited for the disk would never return.
    func play(_ seconds: Range<Int>) throws -> [Capture.DiskChange] {
      var changes: [Capture.DiskChange] = []
      for index in (seconds.lowerBound * 50)..<(seconds.upperBound * 50) {
        let arrival = zero + .milliseconds(Int64(index) * 20)
        for track in 1...3 {
          let bytes = RTPWriter(
            payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: index), timestamp: UInt32(index * 960),
            ssrc: UInt32(track)
          ).packet(payload: Scene.payload)
          capture.append(
            rtp: ReceivedPacket(
              packet: try RTPPacket(parsing: bytes), extendedSequence: Int64(index),
              extendedTimestamp: Int64(index) * 960, arrival: arrival), track: track)
          capture.append(.rtcp(track: track, arrival: arrival, packet: [UInt8](repeating: 9, count: 100)))
        }
        if index % 2 == 1, let change = capture.flush(at: arrival) { changes.append(change) }
      }
      return changes
    }

    func end(at second: Int) async {
      let end = zero + .seconds(Int64(second))
      await withCheckedContinuation { continuation in
        capture.end(at: end, reason: .stopped, now: end) { continuation.resume() }
      }
      writer.stop()
    }

    /// The seconds of the journal's packets, and its periods without the disk.
    func journal() throws -> (seconds: [Int: Int], gaps: [(from: Double, to: Double, lost: Int64)], isEnded: Bool) {
      var reader = JournalReader()
      reader.feed(disk.contents)
      var seconds: [Int: Int] = [:]
      var gaps: [(Double, Double, Int64)] = []
      var newest = 0.0
      var isEnded = false
      while let frame = try reader.next() {
        switch frame {
        case .rtp(_, let arrival, _): seconds[Int((arrival - zero).seconds), default: 0] += 1
        // The render looks for what is lost between the frame before and this one.
        case .degraded(let until, _, let lost): gaps.append((newest, (until - zero).seconds, lost))
        case .end: isEnded = true
        default: break
        }
        newest = max(newest, (frame.time - zero).seconds)
      }
      #expect(reader.missingFrames == 0 && reader.pendingBytes == 0)
      return (seconds, gaps, isEnded)
    }
  }

  @Test func aMinuteWithoutDiskKeepsHalfOfItAndNotesTheRest() async throws {
    let scene = try Scene()
    scene.attach()
    #expect(try scene.play(0..<60) == [.fellBehind])
    #expect(!scene.lane.hasRoom(for: Scene.payload.count * 10))
    scene.disk.answer()
    try await eventually("the disk has taken everything") { scene.lane.hasRoom(for: JournalLane.capacity) }
    #expect(try scene.play(60..<62) == [.caughtUp])
    await scene.end(at: 62)
    let journal = try scene.journal()
    // Thirty seconds are held, whole; then nothing until the disk answers.
    for second in 0..<30 { #expect(journal.seconds[second] == 150, "second \(second)") }
    for second in 45..<60 { #expect(journal.seconds[second] == nil, "second \(second)") }
    #expect(journal.seconds[61] == 150)
    #expect(journal.gaps.count == 1 && journal.isEnded)
    let gap = try #require(journal.gaps.first)
    #expect((30..<45).contains(gap.from) && (60..<60.1).contains(gap.to) && gap.lost > 15 * 150 * 1_275)
  }

  /// The folder itself is not made for a minute: what is kept in memory before there is a file has the same bound.
  @Test func aDiskThatHangsBeforeTheFirstByteIsNotedToo() async throws {
    let scene = try Scene()
    #expect(try scene.play(0..<60) == [.fellBehind])
    scene.attach()
    scene.disk.answer()
    #expect(scene.capture.flush(at: scene.zero + .seconds(60)) == .caughtUp)
    try await eventually("the disk has taken everything") { scene.lane.hasRoom(for: JournalLane.capacity) }
    _ = try scene.play(60..<63)
    await scene.end(at: 63)
    let journal = try scene.journal()
    for second in 0..<30 { #expect(journal.seconds[second] == 150, "second \(second)") }
    #expect(journal.seconds[55] == nil && journal.seconds[62] == 150)
    #expect(journal.gaps.count == 1 && journal.isEnded)
  }

  @Test func aDiskThatHangsUntilTheEndLeavesAJournalThatSaysSo() async throws {
    let scene = try Scene()
    scene.attach()
    #expect(try scene.play(0..<60) == [.fellBehind])
    // Nothing is flushed any more: the end finds the take as the disk left it.
    scene.disk.answer()
    await scene.end(at: 60)
    let journal = try scene.journal()
    #expect(journal.gaps.count == 1 && journal.isEnded && journal.seconds[20] == 150)
    #expect(journal.gaps.first?.to == 60)
  }
}
