import Foundation
import FuzzTargets
import TestSupport

/// The checked-in inputs, and what random mistakes make of them.
enum FuzzCorpus {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz/corpus")

  /// The names of its folders.
  static func folders() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: root.path))
  }

  /// The inputs of a target, in the order of their names.
  static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    let folder = root.appending(path: target.name)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { Array(try Data(contentsOf: folder.appending(path: $0))) }
  }

  /// How many mutations one seed gives a target: fewer of long inputs, so that all take about as long.
  static func mutations(of target: FuzzTarget) -> Int { min(2_000, 4_096_000 / target.longest) }

  /// One of the inputs with up to four mistakes.
  static func mutation(of inputs: [[UInt8]], using generator: inout SeededRandom) -> [UInt8] {
    var bytes = inputs.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      let rest = bytes[index...]
      switch Int.random(in: 0..<7, using: &generator) {
      case 0 where !rest.isEmpty: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      case 1 where !rest.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      // The bytes at which lengths, counts and signs turn over.
      case 2 where !rest.isEmpty: bytes[index] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
      case 3: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 0...8, using: &generator)))
      case 4: bytes.insert(contentsOf: rest.prefix(16), at: index)
      case 5: bytes.removeSubrange(index...)
      default:
        let other = inputs.randomElement(using: &generator) ?? []
        bytes.replaceSubrange(index..., with: other.dropFirst(index))
      }
    }
    return bytes
  }
}
