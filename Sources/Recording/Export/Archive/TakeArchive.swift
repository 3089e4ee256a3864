import Music

extension ZIPArchive {
  /// The file of cues in a take's archive: an Audacity label track, which is also human-readable.
  static let cuesName = "cues.txt"

  /// The whole take as an archive: manifest, cues, peaks, mix and tracks in a folder named after the take.
  ///
  /// Small files come first, so that the download starts before any long file is read. The journal is left out: it is
  /// internal to the recorder.
  ///
  /// - Parameter cues: the index's current cues; nil for the manifest's.
  /// - Throws: `FileProblem` if a file is missing.
  package convenience init(
    ofTake folder: TakeFolder, manifest: Manifest, cues: [Cue]? = nil
  ) throws {
    let take = manifest.take
    let root = ZIPArchive.folderName(of: take)
    let modified = take.endedAt ?? take.startedAt
    func member(_ name: String) -> Member {
      Member(name: "\(root)/\(name)", source: .file(name, in: folder), modified: modified)
    }
    var members = [member(TakeFolder.manifestName)]
    // Comments and ratings, if any.
    if folder.has("annotations.json") { members.append(member("annotations.json")) }
    let lossless = try LosslessTracks(of: take.id, in: folder)
    if !lossless.tracks.isEmpty { members.append(member(LosslessTracks.fileName)) }
    let labels = LabelTrack(cues: cues ?? manifest.cues, from: .zero).text
    members.append(
      Member(name: "\(root)/\(ZIPArchive.cuesName)", source: .bytes(Array(labels.utf8)), modified: modified))
    for role in [Manifest.Role.quality, .peaks, .mix, .track] {
      members += manifest.files.filter { $0.role == role }.map { member($0.name) }
    }
    // Small files come first here too.
    for role in [Manifest.Role.peaks, .track] {
      members += lossless.files.filter { $0.role == role }.map { member($0.name) }
    }
    try self.init(members)
  }

  /// The name of the folder in a take's archive, and of the archive without its extension:
  /// "Studio-2026-11-21-take-3-Blue".
  package static func folderName(of take: Take) -> String {
    let song = take.song.map { " " + $0.title } ?? ""
    let name =
      "\(FileName.portable(take.room.description, fallback: "room")) \(take.startedAt.date) take \(take.number)"
    return FileName.portable(name, fallback: "take")
      + (song.isEmpty ? "" : "-" + FileName.portable(song, fallback: "song"))
  }
}
