import Recording
import TestSupport

/// Where the lossless copies of random musicians are put, against where they belong.
struct CopyTrial {
  let copies: Int
  /// Of the first.
  let seed: UInt64

  /// What a place may be off besides the stated bound, in milliseconds: where a track bends, beyond the last reading.
  private static let tolerance = 0.25

  /// Tells every copy that is misplaced, then each kind of music; true where none is.
  func run() throws -> Bool {
    var misplaced = 0
    for music in VirtualBackup.Music.allCases {
      var (refused, wrong) = (0, 0)
      var (errors, bounds, covered) = (Distribution(), Distribution(), Distribution())
      for number in 0..<UInt64(copies) {
        let copy = VirtualBackup(music, seed: seed + number)
        let track = try copy.track()
        guard
          let alignment = try? BackupAligner(take: track, backup: copy.backup(), expected: copy.hint).align()
        else {
          refused += 1
          continue
        }
        let error = copy.error(of: alignment.mapping, every: 480) / 48
        errors.add(error)
        bounds.add(alignment.errorBound)
        covered.add(100 * Double(alignment.mapping.covered) / Double(track.frameCount))
        guard error > alignment.errorBound + CopyTrial.tolerance else { continue }
        wrong += 1
        var figure = Figure("copy")
        figure.add("music", music.rawValue)
        figure.add("seed", Int(seed + number))
        figure.add("errorMs", error)
        figure.add("boundMs", alignment.errorBound)
        figure.tell()
      }
      misplaced += wrong
      var figure = Figure("copies")
      figure.add("music", music.rawValue)
      figure.add("copies", copies)
      figure.add("refused", refused)
      figure.add("misplaced", wrong)
      figure.add("errorMs", errors)
      figure.add("boundMs", bounds)
      figure.add("coveredPercentP50", covered.quantile(0.5))
      figure.add("coveredPercentP10", covered.quantile(0.1))
      figure.tell()
    }
    return misplaced == 0
  }
}
