import Music

/// The growing sound files of a take: the sink of a rolling render.
final class TakeFiles: RenderSink {
  private let folder: TakeFolder
  private let options: RenderOptions
  private let take: Take
  private let software: String
  /// By track number in the journal.
  private(set) var tracks: [Int: SoundTrackFile] = [:]
  private(set) var mix: SoundTrackFile?
  /// The musician of each track; set before its first audio.
  var players: [Int: JournalTrack] = [:]

  init(folder: TakeFolder, take: Take, options: RenderOptions, software: String) throws(FileProblem) {
    self.folder = folder
    self.take = take
    self.options = options
    self.software = software
    if options.makesMix {
      mix = try SoundTrackFile(
        TakeFolder.mixName(ending: options.format.ending), in: folder, options: options, channels: 2,
        tags: tags(artist: "", number: nil))
    }
  }

  /// What a checkpoint holds of them.
  struct Parts: Codable {
    var tracks: [Int: SoundTrackFile.Part] = [:]
    var mix: SoundTrackFile.Part?
    var players: [Int: JournalTrack]
  }

  /// Syncs the files and describes them; nil if they cannot be continued.
  /// - Throws: `FileProblem`; the files must then be made anew.
  func parts() throws(FileProblem) -> Parts? {
    var parts = Parts(players: players)
    for (number, file) in tracks {
      guard let part = try file.part() else { return nil }
      parts.tracks[number] = part
    }
    if let mix {
      guard let part = try mix.part() else { return nil }
      parts.mix = part
    }
    return parts
  }

  /// Continues the files of an interrupted process.
  /// - Throws: `FileProblem` if they are not as `parts` says.
  init(continuing parts: Parts, folder: TakeFolder, take: Take, options: RenderOptions, software: String)
    throws(FileProblem)
  {
    (self.folder, self.options, self.take, self.software) = (folder, options, take, software)
    players = parts.players
    for (number, part) in parts.tracks {
      tracks[number] = try SoundTrackFile(continuing: part, in: folder, format: options.format)
    }
    mix = try parts.mix.map { part throws(FileProblem) in
      try SoundTrackFile(continuing: part, in: folder, format: options.format)
    }
  }

  func open(track: Int, channels: Int, silence: Int64) throws {
    guard let player = players[track] else { return }
    let name = TakeFolder.trackName(
      number: track, participant: player.participant.name, part: player.part,
      ending: options.format.ending)
    let file = try SoundTrackFile(
      name, in: folder, options: options, channels: channels,
      tags: tags(artist: player.participant.name.description, number: track))
    try file.writeSilence(silence)
    tracks[track] = file
  }

  func write(track: Int, _ samples: UnsafeBufferPointer<Float>) throws {
    try tracks[track]?.write(samples)
  }

  func writeMix(_ samples: UnsafeBufferPointer<Float>) throws {
    try mix?.write(samples)
  }

  private func tags(artist: String, number: Int?) -> SoundFileTags {
    SoundFileTags(
      title: take.song?.title ?? "", artist: artist, album: take.room.description, trackNumber: number,
      comment: "take \(take.number), \(take.id)", date: take.startedAt.date, software: software)
  }
}
