import NIOCore

/// A frame of the service, taken apart by hand, so that nothing of the service's own code judges it.
struct ServerFrame {
  var isFinal: Bool
  /// RSV1, RSV2 and RSV3 in the bits 4, 2 and 1.
  var reserved: UInt8
  var opcode: UInt8
  var isMasked: Bool
  var payload: [UInt8]

  var text: String { String(decoding: payload, as: UTF8.self) }
  /// The code of a close frame; nil if it has none.
  var closingCode: UInt16? { payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil }

  /// The whole frames after the head of the upgrade's response.
  static func all(in bytes: [UInt8]) -> [ServerFrame] {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
    var rest = bytes[end.upperBound...]
    var frames: [ServerFrame] = []
    while let frame = next(&rest) { frames.append(frame) }
    return frames
  }

  private static func next(_ rest: inout ArraySlice<UInt8>) -> ServerFrame? {
    let bytes = Array(rest.prefix(10))
    guard bytes.count >= 2 else { return nil }
    var (length, head) = (Int(bytes[1] & 0x7F), 2)
    if length >= 126 {
      head = length == 126 ? 4 : 10
      guard bytes.count >= head else { return nil }
      length = bytes[2..<head].reduce(0) { $0 << 8 | Int($1) }
    }
    guard rest.count >= head + length else { return nil }
    defer { rest = rest.dropFirst(head + length) }
    return ServerFrame(
      isFinal: bytes[0] & 0x80 != 0, reserved: bytes[0] >> 4 & 7, opcode: bytes[0] & 0xF,
      isMasked: bytes[1] & 0x80 != 0,
      payload: Array(rest.dropFirst(head).prefix(length)))
  }
}

extension RawConnection {
  /// Reads until there are frames enough, or the service closes. A connection can be read once.
  func frames(
    until isEnough: ([ServerFrame]) -> Bool = { _ in false }
  ) async -> (head: String, frames: [ServerFrame]) {
    var bytes: [UInt8] = []
    do {
      for try await chunk in inbound {
        bytes += Array(chunk.readableBytesView)
        if isEnough(ServerFrame.all(in: bytes)) { break }
      }
    } catch {}
    let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound ?? bytes.endIndex
    return (String(decoding: bytes[..<end], as: UTF8.self), ServerFrame.all(in: bytes))
  }
}
