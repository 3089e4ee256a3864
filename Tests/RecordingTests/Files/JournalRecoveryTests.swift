import Glibc
import Machines
import Music
import Synchronization
import TestSupport
import Testing

@testable import Recording

struct JournalRecoveryTests {
  private func frames(in disk: any JournalStorage) throws -> [JournalFrame] {
    var follower = JournalFollower(disk)
    var frames: [JournalFrame] = []
    while let frame = try follower.next(isComplete: true) { frames.append(frame) }
    return frames
  }

  @Test func aTornJournalIsCutAndClosed() throws {
    let sent = JournalSamples.packets(40)
    let bytes = try JournalSamples.journal(sent)
    for cut in stride(from: bytes.count - 1_000, to: bytes.count, by: 13) {
      let disk = SimulatedDisk(Array(bytes[..<cut]))
      let recovery = try JournalRecovery.recover(disk)
      let read = try frames(in: disk)
      #expect(!recovery.wasClosed)
      #expect(Array(read.dropLast()) == Array(sent.prefix(read.count - 1)))
      #expect(read.last == .end(at: recovery.lastTime, .recovered))
      #expect(recovery.lastTime == read.dropLast().last?.time)
      #expect(disk.syncedLength == disk.contents.count)
      let again = try JournalRecovery.recover(disk)
      #expect(again.wasClosed && again.cutBytes == 0 && again.damagedBytes == 0, "nothing torn is left before the end")
    }
  }

  @Test func recoveringTwiceChangesNothing() throws {
    let disk = SimulatedDisk(Array(try JournalSamples.journal(JournalSamples.packets(3)).dropLast(5)))
    _ = try JournalRecovery.recover(disk)
    let once = disk.contents
    let second = try JournalRecovery.recover(disk)
    #expect(second.wasClosed)
    #expect(second.cutBytes == 0)
    #expect(disk.contents == once)
  }

  @Test func aClosedJournalStaysAsItIs() throws {
    let bytes = try JournalSamples.journal(JournalSamples.frames())
    let disk = SimulatedDisk(bytes)
    #expect(try JournalRecovery.recover(disk).wasClosed)
    #expect(disk.contents == bytes)
  }

  @Test func aJournalWithOnlyAHeaderIsClosedAtItsZero() throws {
    let disk = SimulatedDisk(try JournalSamples.journal([]))
    let recovery = try JournalRecovery.recover(disk)
    #expect(recovery.lastTime == JournalSamples.time(5_000))
    #expect(try frames(in: disk) == [.end(at: JournalSamples.time(5_000), .recovered)])
  }

  @Test func whatHasNoWholeHeaderIsLeftAsItIs() throws {
    for bytes in [[], Array("JAMJAR".utf8), Array("something else".utf8)] {
      let disk = SimulatedDisk(bytes)
      #expect(throws: JournalDamage.self) { try JournalRecovery.recover(disk) }
      #expect(disk.contents == bytes)
    }
  }

  @Test func whatWasSyncedSurvivesAPowerCutAfterEveryWrite() throws {
    var generator = SeededRandom(11)
    let sent = JournalSamples.packets(60)
    for cut in 1...60 {
      let disk = SimulatedDisk()
      var writer = JournalWriter(header: try JournalSamples.header())
      var synced = 0
      // Five packets in every write, a sync after every third.
      for (index, frame) in sent.prefix(cut).enumerated() {
        writer.append(frame)
        if index % 5 == 4 || index == cut - 1 { try disk.append(writer.take()) }
        if index % 15 == 14 {
          try disk.sync()
          synced = index + 1
        }
      }
      if synced == 0 { continue }
      for _ in 0..<5 {
        let survived = disk.afterPowerCut(using: &generator)
        let recovery = try JournalRecovery.recover(survived)
        let read = Array(try frames(in: survived).dropLast())
        // Everything synced is there, what else is there was sent, in order.
        #expect(Array(read.prefix(synced)) == Array(sent.prefix(synced)))
        #expect(Set(read).isSubset(of: sent))
        #expect(read.map(\.time) == read.map(\.time).sorted())
        #expect(read.count + recovery.missingFrames <= cut)
      }
    }
  }

  @Test(arguments: [ENOSPC, EIO]) func recoversAtTheNextAttemptAfterAFailureAtAnyOperation(code: Int32) throws {
    let torn = Array(try JournalSamples.journal(JournalSamples.packets(5)).dropLast(3))
    let clean = SimulatedDisk(torn)
    _ = try JournalRecovery.recover(clean)
    let operations = clean.state.withLock { $0.operations }
    #expect(operations == 3)
    for number in 1...operations {
      let disk = SimulatedDisk(torn)
      disk.failOperation(number, with: code)
      #expect(throws: FileProblem.self) { try JournalRecovery.recover(disk) }
      _ = try JournalRecovery.recover(disk)
      #expect(disk.contents == clean.contents)
    }
  }

  @Test func framesBehindARottenStretchAreKept() throws {
    let sent = JournalSamples.packets(400)
    var bytes = try JournalSamples.journal(sent)
    for index in 40_000..<40_100 { bytes[index] = 0 }
    let disk = SimulatedDisk(bytes)
    let recovery = try JournalRecovery.recover(disk)
    #expect(recovery.cutBytes == 0)
    #expect(recovery.damagedBytes > 100)
    let read = Array(try frames(in: disk).dropLast())
    #expect(read.count + recovery.missingFrames == 400)
    #expect(read.count > 395)
    #expect(read.last == sent.last)
  }

  @Test func recoversAFileOnTheRealDisk() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try JournalFile(creatingIn: folder)
    let sent = JournalSamples.packets(10)
    try file.append(Array(try JournalSamples.journal(sent).dropLast(9)))
    let recovery = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    #expect(recovery.header.take == (try JournalSamples.take()).id)
    #expect(recovery.cutBytes > 0)
    let read = try frames(in: try JournalFile(openingIn: folder, forReadingOnly: true))
    #expect(read == Array(sent.prefix(9)) + [.end(at: recovery.lastTime, .recovered)])
  }
}
