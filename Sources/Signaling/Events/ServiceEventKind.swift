/// What kind of thing happened in the service: the `event` of a server-sent event, the `type` of a webhook.
package enum ServiceEventKind: String, Hashable, Sendable, CaseIterable {
  case roomJoined = "room.joined"
  case roomLeft = "room.left"
  case recordingStarted = "room.recordingStarted"
  case recordingStopped = "room.recordingStopped"

  case sessionStarted = "session.started"
  case sessionEnded = "session.ended"

  case takeStarted = "take.started"
  case takeStopped = "take.stopped"
  /// One take ended and the next began at the same sample.
  case takeSplit = "take.split"
  case takeCue = "take.cue"
  /// A take into which no audio came was forgotten.
  case takeDiscarded = "take.discarded"
  case takeReady = "take.ready"
  case takeIncomplete = "take.incomplete"
  case takeFailed = "take.failed"
  /// The whole journal was looked at again, and the files were made anew.
  case takeRefined = "take.refined"
  case takeEdited = "take.edited"
  case takeDeleted = "take.deleted"
  case takeRestored = "take.restored"

  case exportQueued = "export.queued"
  case exportProgress = "export.progress"
  case exportDone = "export.done"
  case exportFailed = "export.failed"
  case exportCancelled = "export.cancelled"

  /// A track has a lossless version.
  case backupReady = "backup.ready"
  /// A backup cannot be used.
  case backupRefused = "backup.refused"

  case warning

  /// What the kind is about: `room`, `session`, `take`, `export`, `backup` or `warning`.
  package var group: String { String(rawValue.prefix { $0 != "." }) }

  /// Every word that a filter may name: the groups, and the kinds themselves.
  package static var filterWords: [String] {
    var words: [String] = []
    for kind in allCases {
      if !words.contains(kind.group) { words.append(kind.group) }
      if !words.contains(kind.rawValue) { words.append(kind.rawValue) }
    }
    return words
  }
}
