import Machines
import Signaling

extension FuzzTarget {
  /// A sequence of AMF values: the first byte chooses AMF0, AMF0 with the forms of the iOS library, or AMF3.
  static let amf = FuzzTarget("amf") { bytes in
    var input = FuzzInput(bytes)
    let mode = input.byte() % 3
    var reader = AMFReader(input.remainder(), isLenient: mode == 1)
    var values: [AMFValue] = []
    while !reader.isAtEnd, let value = mode == 2 ? try? reader.amf3() : try? reader.value() { values.append(value) }
    let written = AMFWriter.bytes(values)
    // A byte of text that is no UTF-8 becomes three; a number takes nine bytes, a name up to 1026.
    try promise(written.count <= 16 << 20, "\(bytes.count) bytes became \(written.count)")
    var limits = AMFLimits(depth: 64, values: 64_000, bytes: 16 << 20)
    limits.className = 65_535
    limits.key = 65_535
    var again = AMFReader(written, limits: limits)
    for _ in values { try promise((try? again.value()) != nil, "a value cannot be read once it was written") }
    try promise(again.isAtEnd, "there are more values once they were written")
  }

  /// The body of an audio message: the legacy forms and Enhanced RTMP.
  static let audioTag = FuzzTarget("audio-tag") { bytes in
    // The contents of its headers.
    _ = (AudioSpecificConfig(bytes), OpusHead(bytes)?.refusal)
    guard let tags = try? AudioTag.tags(in: bytes) else { return }
    for body in tags.compactMap(\.body) {
      try promise(body.count <= bytes.count + 16, "\(bytes.count) bytes became \(body.count)")
      try promise((try? AudioTag.tags(in: body)) != nil, "a tag cannot be read once it was written")
    }
  }

  /// A connection of RTMP from its first byte, at the server and at the client.
  static let rtmpHandshake = FuzzTarget("rtmp-handshake", longest: 8_192) { bytes in
    var server = RTMPServer(seed: 1, at: start)
    try serve(&server, bytes[...], isGenerous: true)
    var client = RTMPClient(seed: 1, at: start)
    client.handle(.bytes(bytes), at: start)
    while client.next() != nil {}
  }

  /// The chunk stream of a connection after its handshake. The first byte gives the length of the pieces in which it
  /// arrives; what is read may not depend on that.
  static let rtmp = FuzzTarget("rtmp", longest: 16_384) { bytes in
    var input = FuzzInput(bytes)
    let piece = Int(input.byte()) + 1
    let chunks = input.remainder()
    var generous = shaken()
    try serve(&generous, chunks[...], isGenerous: true)
    var whole = shaken()
    let expected = try serve(&whole, chunks[...])
    var parts = shaken()
    var found: [String] = []
    var rest = chunks[...]
    while !rest.isEmpty {
      found += try serve(&parts, rest.prefix(piece))
      rest = rest.dropFirst(piece)
    }
    try promise(found == expected, "in pieces of \(piece) bytes the outcome is another: \(found) and \(expected)")
  }

  private static let start = MonotonicTime(nanoseconds: 0)

  /// A server after the simple handshake.
  private static func shaken() -> RTMPServer {
    var server = RTMPServer(seed: 1, at: start)
    server.handle(.bytes([3] + [UInt8](repeating: 0, count: 3_072)), at: start)
    while server.next() != nil {}
    return server
  }

  /// Feeds bytes and accepts the client; returns what the application sees. A generous one answers everything else too,
  /// which changes what is read next.
  @discardableResult
  private static func serve(
    _ server: inout RTMPServer, _ bytes: ArraySlice<UInt8>, isGenerous: Bool = false
  ) throws -> [String] {
    var seen: [String] = []
    var isClosed = false
    server.handle(.bytes(Array(bytes)), at: start)
    while let output = server.next() {
      try promise(!isClosed, "something comes after the end")
      switch output {
      // The sentences count what waits, which depends on the pieces.
      case .send, .dropped: continue
      case .connect: server.handle(.accept(properties: []), at: start)
      case .closed: isClosed = true
      case let other where isGenerous: answer(other, of: &server)
      default: break
      }
      seen.append(isClosed ? "closed" : "\(output)")
    }
    return seen
  }

  private static func answer(_ output: RTMPServer.Output, of server: inout RTMPServer) {
    switch output {
    case .call(let call): server.handle(.answer(call.ticket, .value(.array(call.arguments))), at: start)
    case .sharedObject(let message): server.handle(.sharedObject(message), at: start)
    case .publish(let stream, _, _): server.handle(.allowPublish(stream: stream), at: start)
    case .play(let stream, _): server.handle(.allowPlay(stream: stream), at: start)
    case .audio(let stream, let timestamp, let tag):
      server.handle(.audio(stream: stream, timestamp: timestamp, tag), at: start)
    case .metadata(let stream, let members): server.handle(.metadata(stream: stream, members), at: start)
    default: break
    }
  }
}
