import Machines
import Testing

@testable import Recording

struct JournalFollowerTests {
  @Test func followsAJournalAsItGrows() throws {
    let sent = JournalSamples.packets(50)
    let disk = SimulatedDisk()
    var follower = JournalFollower(disk)
    #expect(try follower.next() == nil)
    var writer = JournalWriter(header: try JournalSamples.header())
    var read: [JournalFrame] = []
    for (index, frame) in sent.enumerated() {
      writer.append(frame)
      if index % 7 == 0 { try disk.append(writer.take()) }
      while let frame = try follower.next() { read.append(frame) }
      #expect(read.count == index / 7 * 7 + 1)
    }
    try disk.append(writer.take())
    while let frame = try follower.next() { read.append(frame) }
    #expect(read == sent)
    #expect(follower.header == (try JournalSamples.header()))
    #expect(follower.damages.isEmpty)
  }

  @Test func doesNotBelieveInAHalfWrittenFrameThatWasCutOffAgain() throws {
    let bytes = try JournalSamples.journal(JournalSamples.packets(4))
    let disk = SimulatedDisk(bytes)
    var follower = JournalFollower(disk)
    var count = 0
    while try follower.next() != nil { count += 1 }
    // A write that failed left half a frame; the follower sees it, then it is cut and the next frame written.
    try disk.append([UInt8](repeating: 0x55, count: 23))
    #expect(try follower.next() == nil)
    try disk.truncate(to: Int64(bytes.count))
    var reader = JournalReader()
    reader.feed(bytes)
    while try reader.next() != nil {}
    var writer = try #require(JournalWriter(resuming: reader))
    let rest = JournalSamples.packets(3, seed: 9)
    for frame in rest { writer.append(frame) }
    try disk.append(writer.take())
    for frame in rest { #expect(try follower.next() == frame) }
    #expect(follower.damages.isEmpty)
    #expect(count == 4)
  }

  /// The recorder was killed within a write that the follower saw.
  @Test func readsTheEndThatReplacedAHalfWrittenFrame() throws {
    let disk = SimulatedDisk(try JournalSamples.journal(JournalSamples.packets(20)).dropLast(3))
    var follower = JournalFollower(disk)
    var read: [JournalFrame] = []
    while let frame = try follower.next() { read.append(frame) }
    let torn = follower.pendingBytes
    #expect(read.count == 19 && torn > 0)
    #expect(try JournalRecovery.recover(disk).cutBytes == Int64(torn))
    while let frame = try follower.next(isComplete: true) { read.append(frame) }
    guard case .end(_, .recovered)? = read.last else {
      Issue.record("the journal ends with \(String(describing: read.last))")
      return
    }
    #expect(read.count == 20 && follower.damages.isEmpty && follower.pendingBytes == 0)
  }

  @Test func leavesOutDamageAndNotesIt() throws {
    let sent = JournalSamples.packets(1_300)
    var bytes = try JournalSamples.journal(sent)
    bytes[270_000] ^= 1
    var follower = JournalFollower(SimulatedDisk(bytes))
    var read: [JournalFrame] = []
    while let frame = try follower.next() { read.append(frame) }
    #expect(read.count == 1_299)
    #expect(follower.damages.count == 1)
    #expect(follower.missingFrames == 1)
    #expect(read.last == sent.last)
  }

  @Test func finishesAJournalWhoseTailIsDestroyed() throws {
    let bytes = try JournalSamples.journal(JournalSamples.packets(20)) + [UInt8](repeating: 0xEE, count: 270_000)
    var follower = JournalFollower(SimulatedDisk(bytes))
    var count = 0
    while try follower.next(isComplete: true) != nil { count += 1 }
    #expect(count == 20)
    #expect(try follower.next(isComplete: true) == nil)
    #expect(follower.pendingBytes == 270_000)
  }

  @Test func aHeaderThatCannotBeReadIsAnError() throws {
    var follower = JournalFollower(SimulatedDisk(Array("RIFFxxxxWAVE".utf8)))
    #expect(throws: JournalDamage.notAJournal) { try follower.next() }
  }
}
