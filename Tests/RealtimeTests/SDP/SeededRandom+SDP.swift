import TestSupport

extension SeededRandom {
  /// A description with a few bytes changed, lines doubled, dropped or swapped.
  mutating func damage(_ text: String) -> [UInt8] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
    for _ in 0..<Int.random(in: 0...3, using: &self) where lines.count > 1 {
      let index = Int.random(in: 0..<lines.count, using: &self)
      switch Int.random(in: 0...3, using: &self) {
      case 0: lines.remove(at: index)
      case 1: lines.insert(lines[index], at: Int.random(in: 0..<lines.count, using: &self))
      case 2: lines.swapAt(index, Int.random(in: 0..<lines.count, using: &self))
      default: lines[index] = Array(lines[index].prefix(Int.random(in: 0...lines[index].count, using: &self)))
      }
    }
    var bytes = lines.flatMap(\.self)
    for _ in 0..<Int.random(in: 0...4, using: &self) where !bytes.isEmpty {
      let signs = Array("0159:;=/ amx-+\u{7F}\u{0}".utf8) + [0xC3, 0xFF]
      bytes[Int.random(in: 0..<bytes.count, using: &self)] = signs.randomElement(using: &self) ?? 0
    }
    return bytes
  }
}
