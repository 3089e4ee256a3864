import Machines
import TestSupport
import Testing

@testable import Recording

struct JournalReaderTests {
  @Test func readsTheSameInPiecesOfAnySize() throws {
    let frames = try JournalSamples.frames() + JournalSamples.packets(30)
    let bytes = try JournalSamples.journal(frames)
    for size in [1, 2, 7, 23, 24, 25, 100, 1_000, bytes.count] {
      var reader = JournalReader()
      var read: [JournalFrame] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        #expect(reader.readOffset == Int64(start))
        reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
        read += try reader.all()
      }
      #expect(read == frames)
      #expect(reader.goodLength == Int64(bytes.count))
    }
  }

  @Test func aJournalCutAnywhereGivesTheWholeFramesBeforeTheCut() throws {
    let frames = try JournalSamples.frames()
    let bytes = try JournalSamples.journal(frames)
    for length in 0..<bytes.count {
      var reader = JournalReader()
      reader.feed(Array(bytes[..<length]))
      let read = try reader.all()
      #expect(read == Array(frames.prefix(read.count)))
      #expect(read.count < frames.count)
      #expect(reader.goodLength + Int64(reader.pendingBytes) == Int64(length))
      // What is left lacks at least a byte of being a frame.
      #expect(reader.goodLength <= Int64(length))
    }
  }

  @Test func aFlippedBitNeverBecomesAFrame() throws {
    let frames = try JournalSamples.frames()
    let bytes = try JournalSamples.journal(frames)
    var reader = JournalReader()
    reader.feed(try JournalSamples.journal([]))
    _ = try reader.next()
    let headerLength = Int(reader.goodLength)
    for index in bytes.indices {
      var altered = bytes
      altered[index] ^= 1 << UInt8(index % 8)
      var reader = JournalReader()
      reader.feed(altered)
      var read: [JournalFrame] = []
      var damage: JournalDamage?
      do throws(JournalDamage) {
        while let frame = try reader.next() { read.append(frame) }
      } catch {
        damage = error
      }
      #expect(read == Array(frames.prefix(read.count)))
      #expect(read.count < frames.count, "byte \(index)")
      if let damage, index >= headerLength { #expect(damage.offset <= Int64(index)) }
    }
  }

  @Test func zerosBehindTheLastFrameAreDamageAndNoFrame() throws {
    let frames = JournalSamples.packets(3)
    var reader = JournalReader()
    reader.feed(try JournalSamples.journal(frames) + [UInt8](repeating: 0, count: 4_096))
    for frame in frames { #expect(try reader.next() == frame) }
    #expect(throws: JournalDamage.self) { try reader.next() }
    // It says so until something is done about it.
    #expect(throws: JournalDamage.self) { try reader.next() }
    #expect(reader.skipDamage() == nil)
    #expect(reader.pendingBytes == 4_096)
  }

  @Test func framesOfAnotherJournalAreNotTaken() throws {
    var other = JournalWriter(
      header: JournalHeader(
        take: try JournalSamples.take(number: 4), zero: JournalSamples.time(1), software: "jamjar 1.0.0"))
    _ = other.take()
    for frame in JournalSamples.packets(4) { other.append(frame) }
    var reader = JournalReader()
    reader.feed(try JournalSamples.journal(JournalSamples.packets(2)) + other.take())
    #expect(try reader.next() != nil)
    #expect(try reader.next() != nil)
    #expect(throws: JournalDamage.self) { try reader.next() }
    #expect(reader.skipDamage() == nil)
  }

  @Test func aRepeatedFrameIsDamageAndTheNextIsFoundBehindIt() throws {
    let bytes = try JournalSamples.journal(JournalSamples.packets(3))
    var short = JournalReader()
    short.feed(bytes)
    _ = try short.next()
    let one = Int(short.goodLength)
    _ = try short.next()
    let two = Int(short.goodLength)
    var reader = JournalReader()
    reader.feed(Array(bytes[..<two]) + bytes[one..<two] + bytes[two...])
    _ = try reader.next()
    _ = try reader.next()
    #expect(throws: JournalDamage.self) { try reader.next() }
    #expect(reader.skipDamage() == Int64(two - one))
    #expect(try reader.next() == JournalSamples.packets(3)[2])
  }

  @Test func framesBehindDamageAreFoundAndTheLostOnesCounted() throws {
    let frames = JournalSamples.packets(20)
    var bytes = try JournalSamples.journal(frames)
    var probe = JournalReader()
    probe.feed(bytes)
    for _ in 0..<9 { _ = try probe.next() }
    let start = Int(probe.goodLength)
    // The tenth frame's length and a part of the eleventh's body are destroyed.
    for index in start + 4..<start + 440 { bytes[index] = 0xA5 }
    var reader = JournalReader()
    var read: [JournalFrame] = []
    var found: Int64?
    for piece in stride(from: 0, to: bytes.count, by: 100) {
      reader.feed(Array(bytes[piece..<min(piece + 100, bytes.count)]))
      do throws(JournalDamage) {
        while let frame = try reader.next() { read.append(frame) }
      } catch {
        #expect(error.offset == Int64(start))
        guard let skipped = reader.skipDamage() else { continue }
        found = skipped
        read += try reader.all()
      }
    }
    let skipped = try #require(found)
    #expect(reader.skippedBytes == skipped)
    #expect(read.count + reader.missingFrames == 20)
    #expect(read == Array(frames.prefix(9)) + frames.suffix(read.count - 9))
    #expect((16...18).contains(read.count))
  }

  @Test func unknownKindsAreSkippedAndCounted() throws {
    var bytes = try JournalSamples.journal(JournalSamples.packets(3))
    var probe = JournalReader()
    probe.feed(bytes)
    _ = try probe.next()
    let start = Int(probe.goodLength)
    _ = try probe.next()
    let end = Int(probe.goodLength)
    // The second frame becomes a kind of the future, with a good checksum.
    bytes[start + 8] = 200
    let seed = try #require(probe.seed)
    let sum = CRC32C.of(Array(bytes[start + 4..<end]), seed: seed)
    for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: sum >> UInt32(place * 8)) }
    var reader = JournalReader()
    reader.feed(bytes)
    #expect(try reader.all().count == 2)
    #expect(reader.unknownFrames == 1)
    #expect(reader.missingFrames == 0)
  }

  @Test func saysThatANewerReleaseIsNeeded() throws {
    var bytes = try JournalSamples.journal([])
    bytes[8] = 2
    var reader = JournalReader()
    reader.feed(bytes)
    #expect(throws: JournalDamage.newerVersion(found: 2, supported: 1)) { try reader.next() }
    bytes[8] = 0
    var second = JournalReader()
    second.feed(bytes)
    let damage = #expect(throws: JournalDamage.self) { try second.next() }
    #expect(damage?.description.contains("version 0") == true)
  }

  @Test func saysThatAFileIsNoJournalAsSoonAsItCanTell() {
    var reader = JournalReader()
    reader.feed(Array("fLaC".utf8))
    #expect(throws: JournalDamage.notAJournal) { try reader.next() }
  }

  @Test func randomBytesNeverTrap() throws {
    var generator = SeededRandom(42)
    let start = try JournalSamples.journal(JournalSamples.packets(2))
    for _ in 0..<500 {
      var reader = JournalReader()
      if Bool.random(using: &generator) { reader.feed(start) }
      let count = Int.random(in: 0...600, using: &generator)
      reader.feed((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      _ = try? reader.all()
      _ = reader.skipDamage()
      _ = try? reader.all()
    }
  }

  @Test func altersNothingByForgettingWhatIsPending() throws {
    let frames = JournalSamples.packets(6)
    let bytes = try JournalSamples.journal(frames)
    var reader = JournalReader()
    reader.feed(Array(bytes[..<(bytes.count - 10)]))
    var read = try reader.all()
    #expect(reader.pendingBytes > 0)
    reader.discardPending()
    reader.feed(Array(bytes[Int(reader.readOffset)...]))
    read += try reader.all()
    #expect(read == frames)
  }
}
