import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// No place of a journal is needed to read the others: whatever a disk damages costs its own frames only.
struct DamagedJournalTests {
  /// Four seconds of two tracks; the second's packets are of another payload type after one second and a half.
  private struct Sample {
    var bytes: [UInt8]
    /// Every packet with the payload type by which it must be read.
    var packets: [JournalFrame: UInt8] = [:]

    init() throws {
      var writer = JournalWriter(header: try JournalSamples.header())
      var generator = SeededRandom(3)
      var bytes: [UInt8] = []
      var second = JournalTrack(
        trackID: JournalSamples.id(12),
        participant: Participant(id: JournalSamples.id(13), name: try .init(checking: "Bo")),
        stream: JournalStream(opusPayloadType: 96))
      writer.append(.trackOpened(track: 1, try JournalSamples.track(), at: JournalSamples.time(5_005)))
      writer.append(.trackOpened(track: 2, second, at: JournalSamples.time(5_006)))
      for index in 0..<200 {
        let time = JournalSamples.time(5_010 + Int64(index) * 20)
        if index == 75 {
          second.stream.opusPayloadType = 97
          writer.append(.streamChanged(track: 2, second.stream, at: time))
        }
        for (track, type) in [(1, UInt8(111)), (2, second.stream.opusPayloadType)] {
          let packet = (0..<Int.random(in: 40...90, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
          let frame = JournalFrame.rtp(track: track, arrival: time, packet: packet)
          writer.append(frame)
          packets[frame] = type
        }
        if index % 3 == 2 {
          writer.repeatState(at: time)
          bytes += writer.take()
        }
      }
      writer.append(.end(at: JournalSamples.time(9_100), .stopped))
      self.bytes = bytes + writer.take()
    }
  }

  /// The packets of `bytes` that a render could play: of a track it knows, read by the right stream.
  private func playable(_ bytes: [UInt8], of sample: Sample) throws -> [JournalFrame] {
    let disk = SimulatedDisk(bytes)
    _ = try JournalRecovery.recover(disk)
    var follower = JournalFollower(disk)
    var streams: [Int: JournalStream] = [:]
    var found: [JournalFrame] = []
    while let frame = try follower.next(isComplete: true) {
      switch frame {
      case .trackOpened(let number, let track, _): streams[number] = track.stream
      case .streamChanged(let number, let stream, _): streams[number] = stream
      case .rtp(let number, _, _):
        if let type = streams[number]?.opusPayloadType, type == sample.packets[frame] { found.append(frame) }
      case .trackRepeated, .headerRepeated: Issue.record("a copy was handed over")
      default: break
      }
    }
    #expect(follower.header == (try JournalSamples.header()))
    return found
  }

  @Test func aFlippedByteCostsOnePacketAtMost() throws {
    let sample = try Sample()
    #expect(try playable(sample.bytes, of: sample).count == sample.packets.count)
    // Every byte of the head and of the change, a selection of the others.
    let places = Array(0..<900) + Array(stride(from: 900, to: sample.bytes.count, by: 11))
    for place in places {
      var bytes = sample.bytes
      bytes[place] ^= 0x40
      let count = try playable(bytes, of: sample).count
      #expect(count >= sample.packets.count - 1, "byte \(place): \(sample.packets.count - count) packets")
    }
  }

  @Test func aDestroyedBlockCostsItsOwnFrames() throws {
    let sample = try Sample()
    let block = 512
    for start in stride(from: 0, to: sample.bytes.count - block, by: block / 2) {
      for filling in [UInt8(0), 0xFF, 0x41] {
        var bytes = sample.bytes
        for index in start..<start + block { bytes[index] = filling }
        let lost = sample.packets.count - (try playable(bytes, of: sample).count)
        // A packet's frame has 64 bytes and more; two more lie across the block's ends.
        #expect(lost <= block / 64 + 2, "block \(start): \(lost) packets")
      }
    }
  }

  @Test func aStretchThatIsCutOutCostsItsOwnFrames() throws {
    let sample = try Sample()
    for start in stride(from: 0, to: sample.bytes.count - 300, by: 271) {
      var bytes = sample.bytes
      bytes.removeSubrange(start..<start + 300)
      let lost = sample.packets.count - (try playable(bytes, of: sample).count)
      #expect(lost <= 300 / 64 + 2, "bytes \(start) to \(start + 300): \(lost) packets")
    }
  }

  @Test func aJournalWithoutCopiesIsReadAsBefore() throws {
    let sent = JournalSamples.packets(600)
    var bytes = try JournalSamples.journal(sent)
    bytes[20_000] ^= 1
    var follower = JournalFollower(SimulatedDisk(bytes))
    var read: [JournalFrame] = []
    // A journal that still grows: frames are kept back for three seconds, and not for ever.
    while let frame = try follower.next() { read.append(frame) }
    #expect(read.count == 599)
    #expect(read.last == sent.last)
  }

  @Test func aHeaderWithoutACopyIsAnError() throws {
    var bytes = try JournalSamples.journal(JournalSamples.packets(50))
    bytes[20] ^= 1
    let disk = SimulatedDisk(bytes)
    #expect(throws: JournalDamage.self) { try JournalRecovery.recover(disk) }
    #expect(disk.contents == bytes)
  }

  /// A title that looks like a header is none.
  @Test func aFalseCopyIsNotBelieved() throws {
    var other = try JournalSamples.header()
    other.zero = JournalSamples.time(1)
    let sample = try Sample()
    var bytes = sample.bytes
    bytes.insert(contentsOf: [UInt8](repeating: 0, count: 24) + other.encoded, at: 600)
    bytes[3] ^= 0xFF
    var follower = JournalFollower(SimulatedDisk(bytes))
    _ = try follower.next(isComplete: true)
    #expect(follower.header == (try JournalSamples.header()))
  }
}
