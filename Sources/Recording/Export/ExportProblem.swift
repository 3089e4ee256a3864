/// The reason why a take cannot be exported; nothing was changed.
package enum ExportProblem: Error, Hashable, Sendable {
  /// No musician of the take sent audio.
  case noTracks(folder: String)
  /// All tracks are muted.
  case nothingHeard
  /// The sample rate of a track's file differs from that of the time line.
  case wrongRate(file: String, rate: Int)
  /// The format does not support that sample rate.
  case rate(Int, ExportFormat)
  /// The system's libsndfile does not write that format.
  case formatMissing(ExportFormat)
  /// A file of the take does not match its manifest.
  case changed(file: String, size: Int64, expected: Int64)
  /// The same by its fingerprint: it was damaged, or another render just replaced it.
  case replaced(file: String)
  /// No backing track was heard during the take.
  case noBacking
  /// A backing track of the take was deleted.
  case backingMissing(title: String)
}

extension ExportProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noTracks(let folder):
      return "the take in \(folder) has no track with audio, so there is nothing to mix"
    case .nothingHeard:
      return "every track is muted, so there is nothing to mix; let one be heard"
    case .wrongRate(let file, let rate):
      return "\(file) has \(rate) samples per second instead of 48000; "
        + "\"jamjar takes render\" makes the take's files again from its journal"
    case .rate(let rate, let format):
      let permitted = format.rates.map(String.init).joined(separator: ", ")
      return "the rate is \(rate); permitted for \(format.rawValue): \(permitted)"
    case .formatMissing(let format):
      let others = ExportFormat.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")
      return "this system's libsndfile does not write \(format.rawValue); it writes \(others)"
    case .changed(let file, let size, let expected):
      return "\(file) has \(size) bytes where its manifest says \(expected); "
        + "\"jamjar takes render\" makes the take's files again from its journal"
    case .replaced(let file):
      return "\(file) is not the file of the manifest that was read: another render may have replaced it just now, so "
        + "try again; if it stays so, \"jamjar takes render\" makes the take's files again from its journal"
    case .noBacking:
      return "no backing track was heard during this take; export it without one"
    case .backingMissing(let title):
      return "the backing track \"\(title)\" was deleted, so the take can only be exported without it"
    }
  }
}
