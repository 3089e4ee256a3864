import Signaling
import Testing

/// The rules of RFC 6455 for a client's frames, without a socket. `ConformanceTests` sends the same over TCP.
@Suite struct MessageAssemblerTests {
  private typealias Frame = MessageAssembler.Frame
  private typealias Event = MessageAssembler.Event

  private func frame(
    _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true
  ) -> Frame {
    Frame(isFinal: isFinal, reserved: reserved, opcode: opcode, isMasked: isMasked, payload: payload)
  }

  /// What frames become, up to the first violation.
  private func read(
    _ frames: [Frame], limit: Int = 16, fragments: Int = 4, inflater: MessageAssembler.Inflater? = nil
  ) -> (events: [Event], violation: FrameViolation?) {
    var messages = MessageAssembler(limit: limit, fragments: fragments, inflater: inflater)
    var events: [Event] = []
    for frame in frames {
      do throws(FrameViolation) {
        if let event = try messages.add(frame) { events.append(event) }
      } catch {
        return (events, error)
      }
    }
    return (events, nil)
  }

  @Test func fragmentsBecomeOneMessageAndControlFramesPassBetweenThem() {
    let (events, violation) = read([
      frame(1, Array("Größ".utf8.dropLast()), isFinal: false), frame(9, [1]),
      frame(0, Array("Größ".utf8.suffix(1)), isFinal: false), frame(0xA), frame(0, [0x65]),
      frame(2, [7], isFinal: false), frame(0, [8]), frame(1), frame(2), frame(8, [0x03, 0xE8]),
    ])
    #expect(violation == nil)
    #expect(
      events == [.ping([1]), .pong, .text("Größe"), .binary([7, 8]), .text(""), .binary([]), .close(code: 1000)])
  }

  @Test func everyBitAndOpcodeIsCheckedBeforeThePayload() {
    for opcode in UInt8(0)...15 {
      #expect(read([frame(opcode, isMasked: false)]).violation == .unmasked)
      for reserved in UInt8(1)...7 {
        #expect(read([frame(opcode, reserved: reserved)]).violation == .reservedBits)
        // With compression only RSV1 is one more, and only at the beginning of a message.
        let permits = reserved == 4 && (opcode == 1 || opcode == 2)
        let compressed = read([frame(opcode, reserved: reserved)]) { bytes, _ in bytes }
        #expect((compressed.violation == nil) == permits, "opcode \(opcode), bits \(reserved)")
      }
      if (3...7).contains(opcode) || opcode > 10 {
        #expect(read([frame(opcode)]).violation == .unknownOpcode(opcode))
      }
    }
  }

  @Test func fragmentsComeInTheirOrder() {
    #expect(read([frame(0)]).violation == .nothingToContinue)
    #expect(read([frame(1), frame(0)]).violation == .nothingToContinue)
    #expect(read([frame(1, isFinal: false), frame(1)]).violation == .unfinishedMessage)
    #expect(read([frame(1, isFinal: false), frame(2, isFinal: false)]).violation == .unfinishedMessage)
    #expect(read([frame(9, isFinal: false)]).violation == .longControl)
    #expect(read([frame(8, [UInt8](repeating: 0, count: 126))]).violation == .longControl)
    #expect(read([frame(9, [UInt8](repeating: 0, count: 125))]).violation == nil)
  }

  @Test func aMessageIsBoundedInBytesAndFragments() {
    let (eight, nine) = ([UInt8](repeating: 0x20, count: 8), [UInt8](repeating: 0x20, count: 9))
    #expect(read([frame(1, eight, isFinal: false), frame(0, eight)]).violation == nil)
    #expect(read([frame(1, eight, isFinal: false), frame(0, nine)]).violation == .tooLarge(limit: 16))
    // At the byte too many, not at the end of the message.
    #expect(read([frame(2, eight, isFinal: false), frame(0, nine, isFinal: false)]).violation == .tooLarge(limit: 16))
    let pieces = [frame(1, isFinal: false)] + [Frame](repeating: frame(0, isFinal: false), count: 2)
    #expect(read(pieces + [frame(0)]).events == [.text("")])
    // The fourth of four has to be the last one.
    #expect(read(pieces + [frame(0, isFinal: false)]).violation == .tooManyFragments(limit: 4))
    // The next message has all of them again.
    #expect(read(pieces + [frame(0)] + pieces + [frame(0)]).events.count == 2)
  }

  @Test func onlyWhatMayBeSentClosesALink() {
    func close(_ code: UInt16, _ reason: [UInt8] = []) -> (events: [Event], violation: FrameViolation?) {
      read([frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)])
    }
    let permitted = Set<UInt16>(Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
    for code in UInt16.min ... .max {
      let answer = close(code)
      if permitted.contains(code) {
        #expect(answer.events == [.close(code: code)])
      } else {
        #expect(answer.violation == .invalidClosing, "\(code)")
      }
    }
    #expect(read([frame(8)]).events == [.close(code: 1000)])
    #expect(read([frame(8, [0x03])]).violation == .invalidClosing)
    #expect(close(1000, [0xCE]).violation == .invalidText)
    #expect(close(1000, Array("bye, Größe".utf8)).events == [.close(code: 1000)])
  }

  @Test func aCompressedMessageIsInflatedOnceItIsWhole() {
    let (events, violation) = read(
      [
        frame(1, [1, 2], isFinal: false, reserved: 4), frame(9), frame(0, [3]), frame(1, [0x41]),
        frame(2, [4], reserved: 4),
      ],
      inflater: { bytes, _ in bytes.map { $0 &+ 0x40 } })
    #expect(violation == nil && events == [.ping([]), .text("ABC"), .text("A"), .binary([0x44])])
    let bomb = read([frame(1, [1], reserved: 4)]) { _, limit throws(FrameViolation) in throw .tooLarge(limit: limit) }
    #expect(bomb.violation == .tooLarge(limit: 16))
  }

  @Test func everySentenceFitsAControlFrame() {
    let violations: [FrameViolation] = [
      .unmasked, .reservedBits, .unknownOpcode(15), .longControl, .nothingToContinue, .unfinishedMessage, .invalidText,
      .invalidClosing, .notDeflate, .tooLarge(limit: .max), .tooManyFragments(limit: .max),
    ]
    for violation in violations {
      #expect(violation.sentence.utf8.count <= 123)
      #expect([1002, 1007, 1009].contains(violation.code))
    }
  }
}
