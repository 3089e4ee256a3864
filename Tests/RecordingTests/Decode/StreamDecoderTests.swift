import TestSupport
import Testing

@testable import Recording

@Suite struct StreamDecoderTests {
  /// Packets of 20 ms, numbered from 0.
  private func packets(_ count: Int) throws -> [StoredPacket] {
    let encoder = try OpusEncoder(.init(channels: 1, bitrate: 64_000, complexity: 0))
    let signal = VirtualSignal()
    return try (0..<count).map { index in
      let bytes = try encoder.encode(signal.samples(from: index * 960, count: 960))
      return StoredPacket(
        sequence: Int64(index), timestamp: Int64(index) * 960, payload: bytes[...], opus: OpusPacket(bytes.span),
        isRedundant: false)
    }
  }

  private func decode(_ packets: [StoredPacket], upTo end: Int64 = 9_600) throws -> StreamDecoder {
    var store = PacketStore()
    for packet in packets { _ = store.insert(packet) }
    var decoder = try StreamDecoder(channels: 1, sequence: 0, position: 0)
    decoder.fill(upTo: end, from: &store)
    return decoder
  }

  @Test func decodesWhatIsThereWithoutAHole() throws {
    var decoder = try decode(packets(10))
    #expect(decoder.audio.end == 9_600)
    #expect(decoder.takeHoles().isEmpty)
    #expect(decoder.openHole == nil)
  }

  /// A track may begin before the first packet that was received, whose time is zero.
  @Test func aHoleBeforeTheFirstPacketIsFilled() throws {
    var store = PacketStore()
    var decoder = try StreamDecoder(channels: 1, sequence: 0, position: -960)
    decoder.fill(upTo: 0, from: &store)
    #expect(decoder.audio.end == 0)
  }

  @Test func aPacketThatCannotBeDecodedIsAHole() throws {
    var all = try packets(10)
    // Code 1 wants two frames of equal length: an odd number of bytes cannot be.
    let bytes: [UInt8] = [0xF1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    all[4].payload = bytes[...]
    var decoder = try decode(all)
    let hole = try #require(decoder.takeHoles().first)
    #expect(hole.kind == .undecodable)
    #expect(hole.start == 3_840)
    #expect(hole.length == 960)
    #expect(decoder.undecodablePackets == 1)
  }

  @Test func timeThatRunsOnWithoutLossIsAStall() throws {
    let all = try packets(10).map { packet in
      var packet = packet
      if packet.sequence >= 5 { packet.timestamp += 4_800 }
      return packet
    }
    var decoder = try decode(all, upTo: 14_400)
    let hole = try #require(decoder.takeHoles().first)
    #expect(hole.kind == .stall)
    #expect(hole.length == 4_800)
    #expect(hole.concealed == 2_880)
  }

  @Test func paddingOnlyFillsItsNumber() throws {
    let all = try packets(10).map { packet in
      var packet = packet
      if packet.sequence >= 5 { packet.sequence += 1 }
      return packet
    }
    let padding = StoredPacket(sequence: 5, timestamp: 3_840, payload: [], opus: nil, isRedundant: false)
    var decoder = try decode(all + [padding])
    #expect(decoder.takeHoles().isEmpty)
  }

  @Test func aHoleStaysOpenUntilAPacketEndsIt() throws {
    var store = PacketStore()
    let all = try packets(30)
    for packet in all.prefix(5) { _ = store.insert(packet) }
    var decoder = try StreamDecoder(channels: 1, sequence: 0, position: 0)
    decoder.fill(upTo: 9_600, from: &store)
    #expect(decoder.openHole?.start == 4_800)
    #expect(decoder.takeHoles().isEmpty)
    for packet in all.suffix(10) { _ = store.insert(packet) }
    for end in stride(from: Int64(9_600), through: 28_800, by: 960) {
      decoder.fill(upTo: end, from: &store)
      decoder.discard(before: end - 960)
    }
    let holes = decoder.takeHoles()
    #expect(holes == [StreamHole(start: 4_800, length: 14_400, kind: .loss, concealed: 2_880)])
  }

  @Test func whatOverlapsIsHeardOnce() throws {
    let all = try packets(10).map { packet in
      var packet = packet
      if packet.sequence >= 5 { packet.timestamp -= 480 }
      return packet
    }
    let decoder = try decode(all, upTo: 9_000)
    #expect(decoder.audio.end == 9_120)
  }

  @Test func theStoreKeepsOrderAndRefusesFloods() throws {
    var store = PacketStore()
    var random = SeededRandom(2)
    let numbers = (0..<200).map { Int64($0) }.shuffled(using: &random)
    for number in numbers {
      let packet = StoredPacket(sequence: number, timestamp: 0, payload: [], opus: nil, isRedundant: false)
      #expect(store.insert(packet) == .stored)
      #expect(store.insert(packet) == .duplicate)
    }
    #expect(store.waiting.map(\.sequence) == Array(0..<200))
    #expect(store.split(from: 150).count == 50)
    for _ in 0..<150 { store.removeFirst() }
    #expect(store.isEmpty)
    var refused = 0
    for number in 0..<12_000 {
      let packet = StoredPacket(sequence: Int64(number), timestamp: 0, payload: [], opus: nil, isRedundant: false)
      if store.insert(packet) == .refused { refused += 1 }
    }
    #expect(refused > 2_000)
  }
}
