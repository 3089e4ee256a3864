import TestSupport
import Testing

@testable import Server

@Suite struct CodecMessageTests {
  private static let sound = CodecMessage.Sound(
    kind: .undecodable, channels: 2, ownChannels: 6, frameLength: 1_024, rate: 44_100, samples: [0.5, -1, 0, 3])
  static let messages: [CodecMessage] = [
    .decoder(.flac, configuration: [1, 2, 3]), .decoder(.mp3, configuration: []), .encoder(bitsPerSecond: 192_000),
    .ready, .refused("no such codec: größer"), .frame([]), .frame([7, 8]), .lost(3), .sound(sound),
    .samples([0.25, -0.25]), .samples([]),
  ]

  @Test(arguments: [1, 3, 1_000]) func messagesComeOutAsTheyWentIn(size: Int) throws {
    let bytes = CodecMessageTests.messages.flatMap(\.bytes)
    var inbox = CodecInbox()
    var read: [CodecMessage] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      inbox.append(bytes[start..<min(bytes.count, start + size)])
      while let message = try inbox.next() { read.append(message) }
    }
    #expect(read == CodecMessageTests.messages)
  }

  @Test(arguments: [
    [0, 0, 0, 0],  // no kind
    [1, 0, 0, 0, 99],  // no such kind
    [0, 0, 0, 0x7F, 5],  // longer than any message
    [2, 0, 0, 0, 5, 1],  // half a number
    [4, 0, 0, 0, 7, 1, 2, 3],  // samples of three bytes
    [13, 0, 0, 0, 6, 9, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // no such kind of sound
    [16, 0, 0, 0, 6, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // one sample for two channels
    [16, 0, 0, 0, 6, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  // a sample without channels
  ]) func whatIsNoMessageIsRefused(bytes: [UInt8]) {
    var inbox = CodecInbox()
    inbox.append(bytes)
    #expect(throws: CodecInbox.Nonsense.self) { try CodecMessageTests.drain(&inbox) }
  }

  @Test func aReasonIsOneShortSentence() throws {
    var inbox = CodecInbox()
    inbox.append(CodecMessage.refused("no\n\u{1B}[1m\u{7F} " + String(repeating: "x", count: 1 << 20)).bytes)
    guard case .refused(let reason)? = try inbox.next() else { throw CodecInbox.Nonsense() }
    #expect(reason.hasPrefix("no[1m xxx") && reason.utf8.count <= 500)
  }

  private static func drain(_ inbox: inout CodecInbox) throws {
    while try inbox.next() != nil {}
  }

  @Test func aMessageThatIsNotWholeIsAwaited() throws {
    var inbox = CodecInbox()
    inbox.append(CodecMessage.lost(3).bytes.dropLast())
    let early = try inbox.next()
    #expect(early == nil)
    inbox.append([0])
    let message = try inbox.next()
    #expect(message == .lost(3))
  }

  /// A worker that a stream has taken over may send anything.
  @Test func mutatedMessagesAreReadOrRefused() {
    var random = SeededRandom(11)
    var refused = 0
    for _ in 0..<2_000 {
      var bytes = CodecMessageTests.messages.flatMap(\.bytes)
      for _ in 0..<4 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
      var inbox = CodecInbox()
      inbox.append(bytes)
      var flow = FrameFlow(.aac, [0x11, 0x90])
      let time = StreamArrival(time: CodedFile.start, due: CodedFile.start)
      for stamp in 0..<4 { _ = flow.add(.init(bytes: [], timestamp: Int64(stamp * 21), arrival: time)) }
      do {
        while let message = try inbox.next() { _ = try flow.sound(from: message) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test func aWorkerAnswersNonsenseWithARefusal() {
    var converter = CodecConverter()
    for message in [CodecMessage.frame([1]), .lost(1), .samples([0, 0]), .ready] {
      let answers = converter.answers(to: message)
      guard case .refused? = answers.first else {
        Issue.record("\(message) was answered with \(answers)")
        continue
      }
    }
  }
}
