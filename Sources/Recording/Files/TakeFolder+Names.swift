import Music

extension TakeFolder {
  /// Characters of the session's identifier that its folder shows: the last six, which are random.
  private static let sessionLength = 6

  /// Where a take's folder belongs: `<room>/<date>-<session>/<number>-<song or "untitled">`, all portable names.
  ///
  /// The date is that of the session's beginning (its identifier holds it), so a session past midnight stays together.
  package static func relativePath(for take: Take) -> String {
    let room = FileName.distinct(take.room.description, fallback: "room")
    let began = WallTime(milliseconds: Int64(clamping: take.session.ulid.high >> 16))
    let session = "\(began.date)-\(take.session.description.suffix(sessionLength))"
    let song = take.song.map { FileName.distinct($0.title, fallback: "song") } ?? "untitled"
    return "\(room)/\(session)/\(FileName.counted(take.number))-\(song)"
  }

  /// The name of a track's file: `NN-<participant>-<part>.<ending>`; the number keeps names apart.
  package static func trackName(number: Int, participant: DisplayName, part: Part?, ending: String) -> String {
    let name = FileName.portable(participant.description, fallback: "musician")
    let part = part.map { "-" + FileName.portable($0, fallback: "part") } ?? ""
    return "\(FileName.counted(number))-\(name)\(part).\(ending)"
  }

  /// The name of the mix's file: `mix.<ending>`.
  package static func mixName(ending: String) -> String { "mix.\(ending)" }

  /// The name of the peaks that belong to the sound file `name`: `01-ada-guitar.peaks.dat`.
  package static func peaksName(for name: String) -> String {
    "\(name.split(separator: ".").first ?? "track").peaks.dat"
  }

  /// The name that the file `name` has until it is whole.
  package static func partName(_ name: String) -> String { name + partSuffix }
}
