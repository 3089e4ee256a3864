import Machines
import Signaling

/// What comes in over a WebSocket and over SockJS, below the dialects.
extension FuzzTarget {
  /// Frames of a client: the first byte of the frame, a byte of which the highest bit is the mask's, and the payload as
  /// a block. The first byte of the input says whether compression is negotiated.
  static let webSocket = FuzzTarget("web-socket", longest: 4_096) { bytes in
    let (limit, fragments) = (1_024, 8)
    var input = FuzzInput(bytes)
    // What a decoder could give back at worst: as much as it may.
    let inflater: MessageAssembler.Inflater = { bytes, limit in Array((bytes + bytes).prefix(limit)) }
    var messages = MessageAssembler(
      limit: limit, fragments: fragments, inflater: input.byte() & 1 == 1 ? inflater : nil)
    while true {
      let (first, second) = (input.byte(), input.byte())
      guard let payload = input.block() else { return }
      let frame = MessageAssembler.Frame(
        isFinal: first & 0x80 != 0, reserved: first >> 4 & 7, opcode: first & 0xF, isMasked: second & 0x80 != 0,
        payload: payload)
      let event: MessageAssembler.Event?
      do throws(FrameViolation) {
        event = try messages.add(frame)
      } catch {
        return try promise(error.sentence.utf8.count <= 123, "a reason too long for a close frame")
      }
      switch event {
      case .text(let text): try promise(text.utf8.count <= limit, "a text of \(text.utf8.count) bytes")
      case .binary(let bytes): try promise(bytes.count <= limit, "a message of \(bytes.count) bytes")
      case .ping(let bytes): try promise(bytes.count <= 125, "a ping of \(bytes.count) bytes")
      case .close(let code): try promise((1000..<5000).contains(code), "a close with \(code)")
      case .pong, nil: break
      }
    }
  }

  /// The offers of extensions in a handshake; a line each.
  static let extensions = FuzzTarget("extensions", longest: 2_048) { bytes in
    let fields = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard let compression = MessageCompression.accept(fields) else { return }
    try promise((9...15).contains(compression.windowBits), "a window of \(compression.windowBits) bits")
    try promise(MessageCompression.accept([compression.response]) == compression, "our own words are declined")
  }

  /// A text of a SockJS client, and its messages on their way back.
  static let sockJS = FuzzTarget("sockjs", longest: 4_096) { bytes in
    let limits = JSONLimits(bytes: 4_096, depth: 2, stringBytes: 4_096, values: 100)
    guard let messages = SockJSFrame.read(String(decoding: bytes, as: UTF8.self), limits: limits) else { return }
    let answer = SockJSFrame.messages(messages)
    let wide = JSONLimits(bytes: 1 << 16, depth: 2, stringBytes: 4_096, values: 101)
    try promise(SockJSFrame.read(String(answer.dropFirst()), limits: wide) == messages, "the messages are others")
    let start = MonotonicTime(nanoseconds: 0)
    var session = SockJSSession(at: start)
    guard let receiver = session.attach(.polling, at: start) else { throw FuzzFault("a new session has a receiver") }
    for message in messages { try promise(session.put(message), "no place for \(messages.count) messages") }
    guard case .finish(let text) = session.next(for: receiver, at: start) else {
      throw FuzzFault("a poll does not end with its frames")
    }
    try promise(text == "o\n" + (messages.isEmpty ? "" : answer + "\n"), "the frames are others")
  }
}
