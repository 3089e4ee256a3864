/// Why a backup cannot be laid beside its track: a sentence for people.
package enum BackupRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Less than what can be compared; lengths in seconds.
  case tooShort(take: Double, backup: Double)
  /// The track is silent, or nearly so.
  case silentTrack
  /// The backup is silent, or nearly so.
  case silentBackup
  /// Nothing of it fits: another microphone, or another take.
  case otherAudio(fitting: Int, compared: Int)
  /// The musician was not recorded: they left before, or did not agree to it.
  case noTrack
  /// The musician's track has no file.
  case noSound
  /// Another backup of the track covers more of it; both in seconds.
  case lessThanAnother(covered: Double, other: Double)

  /// What can be compared at least, in seconds.
  static let leastLength = 3.0

  package var description: String {
    switch self {
    case .tooShort(let take, let backup):
      "too short to be aligned: the track has \(BackupRefusal.seconds(take)) s, the backup "
        + "\(BackupRefusal.seconds(backup)) s; both need \(BackupRefusal.seconds(BackupRefusal.leastLength)) s at least"
    case .silentTrack: "the track has too little sound in it to be compared with the backup"
    case .silentBackup: "the backup has too little sound in it where the track has some"
    case .otherAudio(let fitting, let compared):
      "the backup does not fit the track: \(fitting) of \(compared) places that were compared agree; it may be another "
        + "microphone's, or another take's"
    case .noTrack: "the take has no track of this participant, so nothing of theirs is kept"
    case .noSound: "the participant's track has no sound file that a backup could be aligned with"
    case .lessThanAnother(let covered, let other):
      "another backup covers \(BackupRefusal.seconds(other)) s of the track, this one \(BackupRefusal.seconds(covered)) s"
    }
  }

  private static func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
