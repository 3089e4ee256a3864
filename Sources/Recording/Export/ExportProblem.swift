/// Why a take cannot be exported; nothing was changed.
package enum ExportProblem: Error, Hashable, Sendable {
  /// No musician of the take sent audio.
  case noTracks(folder: String)
  /// A track's file is not at the rate of the time line.
  case wrongRate(file: String, rate: Int)
}

extension ExportProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noTracks(let folder):
      "the take in \(folder) has no track with audio, so there is nothing to mix"
    case .wrongRate(let file, let rate):
      "\(file) has \(rate) samples per second where every track has 48000; "
        + "\"jamjar takes render\" makes the take's files again from its journal"
    }
  }
}
