import TestSupport
import Testing

@testable import Signaling

@Suite struct ChunkVectorTests {
  /// All messages, or the sentence of the violation behind those before it.
  private func read(_ bytes: [UInt8], step: Int, isConnected: Bool = true) -> ([RTMPMessage], RTMPViolation?) {
    var reader = ChunkReader()
    reader.isConnected = isConnected
    var messages: [RTMPMessage] = []
    var position = 0
    do throws(RTMPViolation) {
      while position < bytes.count {
        reader.append(Array(bytes[position..<min(position + step, bytes.count)]))
        position += step
        while let message = try reader.next() { messages.append(message) }
      }
    } catch {
      return (messages, error)
    }
    return (messages, nil)
  }

  @Test(arguments: [1, 3, 128, 1_000_000])
  func everyInputGivesItsMessagesHoweverItIsCut(step: Int) throws {
    let rows = try RTMPVectors.read("chunks.json", as: RTMPVectors.Chunks.self)
    #expect(rows.count == 28)
    for row in rows {
      let (messages, violation) = read(Hex.bytes(row.input), step: step)
      switch row.expect {
      case .verdict("close"): #expect(violation != nil, "\(row.name)")
      case .verdict:
        #expect(violation == nil && messages.map(\.stream) == [0] && messages.map(\.body) == [[0x78]], "\(row.name)")
      case .messages(let expected):
        #expect(violation == nil, "\(row.name)")
        let found = messages.map { [UInt32($0.type), $0.stream, $0.timestamp] }
        let wanted = expected.map { row in row.compactMap { if case .number(let number) = $0 { number } else { nil } } }
        let bodies = expected.map { row in row.compactMap { if case .text(let text) = $0 { text } else { nil } } }
        #expect(found == wanted, "\(row.name)")
        #expect(messages.map { [Hex.text($0.body)] } == bodies, "\(row.name)")
      }
    }
  }

  @Test func whatTheWriterWritesTheReaderReads() {
    var noise = RTMPNoise(seed: 3)
    for chunkSize in [128, 129, 4096] {
      var writer = ChunkWriter()
      var bytes: [UInt8] = []
      writer.write(RTMPControl.chunkSize(UInt32(chunkSize)).message, on: 2, into: &bytes)
      writer.chunkSize = chunkSize
      var messages = [RTMPControl.chunkSize(UInt32(chunkSize)).message]
      for timestamp: UInt32 in [0, 1, 0xFF_FFFE, 0xFF_FFFF, 0x100_0000, .max] {
        for length in [1, 127, 128, 129, 4096, 4097, 9_000] {
          let message = RTMPMessage(
            type: 20, stream: 0x0102_0304, timestamp: timestamp, body: noise.bytes(length))
          messages.append(message)
          writer.write(message, on: 3, into: &bytes)
        }
      }
      #expect(read(bytes, step: 1_000).0 == messages)
    }
  }

  @Test func noMessageWithoutABodyIsWritten() {
    var bytes: [UInt8] = []
    ChunkWriter().write(RTMPMessage(type: 8, body: []), on: 4, into: &bytes)
    #expect(bytes.isEmpty)
  }

  @Test func realChunksOfOthersGiveTheMessagesThatTheyMean() throws {
    let rows = try RTMPVectors.read("messages.json", as: RTMPVectors.Message.self)
    #expect(rows.count == 525)
    var read = 0
    for row in rows where row.firstChunkType == 0 {
      var reader = ChunkReader()
      if row.chunks == 1 { reader.append(Hex.bytes("02000000000004010000000000010000")) }
      reader.append(Hex.bytes(row.wire))
      if row.chunks == 1 { _ = try reader.next() }
      let message = try #require(try reader.next(), "\(row.capture) \(row.decoded)")
      #expect(message.type == row.type && message.stream == row.msid && message.timestamp == row.timestamp)
      #expect(Hex.text(message.body) == row.body, "\(row.capture) \(row.decoded)")
      read += 1
    }
    #expect(read == 286)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func randomBytesNeverTrapAndEndTheSameByteByByte(seed: UInt64) {
    var generator = SeededRandom(seed)
    for _ in 0..<150 {
      let count = Int.random(in: 1...600, using: &generator)
      // Small numbers reach further into the reader than noise does.
      let bytes = (0..<count).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...9, using: &generator) : UInt8.random(in: .min ... .max, using: &generator)
      }
      let whole = read(bytes, step: count)
      let parts = read(bytes, step: 1)
      #expect(whole == parts)
    }
  }
}
