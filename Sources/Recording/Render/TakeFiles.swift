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
