import Music

extension ZIPArchive {
  /// The cues' file in a take's archive: an Audacity label track, which people can read as well.
  static let cuesName = "cues.txt"

  /// The whole take as an archive: manifest, cues, peaks, mix and tracks in one folder that is named after the take.
  ///
  /// Small files come first, so that the first bytes leave before a long file was read. The journal is not there: it is
  /// the recorder's own.
  ///
  /// - Parameter cues: as the index knows them now, nil for the manifest's.
  /// - Throws: `FileProblem` where a file is missing.
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
    // What people said about the take, where they did.
    if folder.has("annotations.json") { members.append(member("annotations.json")) }
    let lossless = try LosslessTracks(of: take.id, in: folder)
    if !lossless.tracks.isEmpty { members.append(member(LosslessTracks.fileName)) }
    let labels = LabelTrack(cues: cues ?? manifest.cues, from: .zero).text
    members.append(
      Member(name: "\(root)/\(ZIPArchive.cuesName)", source: .bytes(Array(labels.utf8)), modified: modified))
    for role in [Manifest.Role.peaks, .mix, .track] {
      members += manifest.files.filter { $0.role == role }.map { member($0.name) }
    }
    // Small ones first here too.
    for role in [Manifest.Role.peaks, .track] {
      members += lossless.files.filter { $0.role == role }.map { member($0.name) }
    }
    try self.init(members)
  }

  /// The name of the folder in a take's archive, and of the archive without its ending: "Studio-2026-11-21-take-3-Blue".
  package static func folderName(of take: Take) -> String {
    let song = take.song.map { " " + $0.title } ?? ""
    let name =
      "\(FileName.portable(take.room.description, fallback: "room")) \(take.startedAt.date) take \(take.number)"
    return FileName.portable(name, fallback: "take")
      + (song.isEmpty ? "" : "-" + FileName.portable(song, fallback: "song"))
  }
}
