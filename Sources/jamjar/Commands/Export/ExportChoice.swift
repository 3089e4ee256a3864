import Music
import Recording

/// The perspective that the command line asks for, with its name in words.
struct ExportChoice {
  let perspective: Perspective
  /// "as ada heard it".
  let title: String

  /// - Parameters:
  ///   - perspective: "as-played" or a musician, nil where it was not given.
  ///   - follow: a musician, nil where it was not given.
  ///   - tracks: those of the take that have audio.
  /// - Throws: `CommandFailure` where nobody, or more than one, has that name.
  init(perspective: String?, follow: String?, tracks: [Track]) throws(CommandFailure) {
    if let follow {
      let leader = try ExportChoice.track(follow, among: tracks)
      self.perspective = .following(leader.number)
      title = "following \(leader.participant.name)"
    } else if let perspective, perspective != "as-played" {
      let listener = try ExportChoice.track(perspective, among: tracks)
      self.perspective = .heard(by: listener.number)
      title = "as \(listener.participant.name) heard it"
    } else {
      self.perspective = .asPlayed
      title = "as played"
    }
  }

  /// The track that a name or a number means.
  static func track(_ text: String, among tracks: [Track]) throws(CommandFailure) -> Track {
    var found = tracks.filter { $0.participant.name.description == text }
    if found.isEmpty { found = tracks.filter { $0.participant.name.description.lowercased() == text.lowercased() } }
    if found.isEmpty, let number = Int(text) { found = tracks.filter { $0.number == number } }
    let all = tracks.map { "\($0.participant.name) (track \($0.number))" }.joined(separator: ", ")
    guard let track = found.first else {
      throw CommandFailure(ExitCodes.usage, "nobody called \"\(text)\" can be heard in this take; there are \(all)")
    }
    guard found.count == 1 else {
      throw CommandFailure(ExitCodes.usage, "several are called \"\(text)\"; give the track's number: \(all)")
    }
    return track
  }
}
