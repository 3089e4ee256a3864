import Music
import Recording
import Signaling

extension Representation {
  /// A backup with its progress.
  static func backup(_ contents: BackupUpload.Contents) -> JSONObject {
    let backup = contents.backup
    return [
      "id": .string(backup.id.description), "take": .string(backup.take.description),
      "participant": .string(backup.participant.description), "sampleRate": .integer(Int64(backup.sampleRate)),
      "channels": .integer(Int64(backup.channels)), "format": "s24le", "state": .string(backup.state.rawValue),
      "received": .integer(contents.received), "complete": .bool(backup.bytes != nil),
      "startedAt": .optional(backup.startedAt?.description), "device": .optional(backup.device),
      "createdAt": .string(backup.createdAt.description), "problem": .optional(backup.problem),
      "track": .optional(backup.track?.description), "alignment": backup.report.map { .object(report($0)) } ?? .null,
      "original": contents.hasOriginal
        ? .object(["bytes": .integer(contents.received), "sha256": .optional(backup.sha256)]) : .null,
    ]
  }

  private static func report(_ report: BackupReport) -> JSONObject {
    [
      "offset": .measure(report.offset), "drift": .measure(report.drift), "correlation": .measure(report.correlation),
      "errorBound": .measure(report.errorBound), "pieces": .integer(Int64(report.pieces)),
      "covered": .measure(report.covered.seconds), "filled": .measure(report.filled.seconds),
    ]
  }

  /// A track with its optional lossless version.
  package static func track(_ track: Track, _ lossless: LosslessTracks?) -> JSONValue {
    var object = Representation.track(track).object ?? [:]
    guard let entry = lossless?.entry(of: track) else {
      object["lossless"] = .null
      return .object(object)
    }
    object["lossless"] = [
      "backup": .string(entry.backup.description), "offset": .measure(entry.report.offset),
      "drift": .measure(entry.report.drift), "correlation": .measure(entry.report.correlation),
      "errorBound": .measure(entry.report.errorBound), "covered": .measure(entry.report.covered.seconds),
      "filled": .measure(entry.report.filled.seconds), "gain": .measure(entry.sound.gain ?? 0),
    ]
    return .object(object)
  }
}
