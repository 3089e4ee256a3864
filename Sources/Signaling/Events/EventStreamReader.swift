/// Reads `text/event-stream` (WHATWG HTML, section 9.2) as our service writes it: UTF-8 lines that end with LF.
package struct EventStreamReader: Sendable {
  /// The lines between two empty ones. One without data only moves the position.
  package struct Block: Hashable, Sendable {
    package var id: String?
    package var event: String?
    package var data: String?

    package init() {}
  }

  /// Longest line that is kept, in bytes; of a longer one only the beginning is read.
  static let longestLine = 4 << 20

  private var line: [UInt8] = []
  private var block = Block()

  package init() {}

  /// Takes the next bytes of the stream; returns the blocks that they complete.
  package mutating func read(_ bytes: some Sequence<UInt8>) -> [Block] {
    var blocks: [Block] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < EventStreamReader.longestLine { line.append(byte) }
        continue
      }
      if line.isEmpty {
        if block != Block() { blocks.append(block) }
        block = Block()
      } else {
        note(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      }
    }
    return blocks
  }

  private mutating func note(_ line: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0]
    var value = parts.count == 2 ? String(parts[1]) : ""
    if value.hasPrefix(" ") { value.removeFirst() }
    switch name {
    case "id": block.id = value
    case "event": block.event = value
    case "data": block.data = block.data.map { $0 + "\n" + value } ?? value
    // A comment, the time before a new connection, or something newer.
    default: break
    }
  }
}
