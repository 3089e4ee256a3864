/// Tells how well a backup fits a take by a delay, in short blocks.
struct BlockFit {
  /// Samples of a block: 85 ms.
  static let length = 4_096

  let windows: AlignmentWindows

  /// Whole blocks of the take.
  var count: Int { Int(clamping: windows.take.frameCount / Int64(BlockFit.length)) }

  /// First sample of a block.
  static func place(_ block: Int) -> Int64 { Int64(block) * Int64(length) }

  /// The part of the take's power that is left when the backup at its best level is taken away; nil where one of them is
  /// silent.
  func misfit(_ block: Int, _ curve: DelayCurve) throws -> Double? {
    let start = BlockFit.place(block)
    let sound = try windows.take(from: start, count: BlockFit.length)
    guard AlignmentWindows.level(sound) > BackupAligner.silence else { return nil }
    let other = try windows.backup(from: start, count: sound.count, along: curve)
    guard AlignmentWindows.level(other) > BackupAligner.silence else { return nil }
    var likeness = Likeness()
    likeness.add(sound, other)
    return likeness.left
  }
}
