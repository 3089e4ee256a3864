import Glibc
import Music

/// A take as a workstation sees it: tracks with clips at their positions, levels, markers and tempo.
///
/// The project begins where the mix with the same settings begins: at the beginning of the range, or else of the
/// earliest track (at the latest at the take's zero).
struct ProjectPlan: Sendable {
  /// One track with its clip.
  struct Lane: Sendable {
    /// Display name: "Ada (guitar)".
    var name: String
    var id: TrackID
    /// Name of the file in the take's folder, and its number of frames.
    var file: String
    var fileLength: Int64
    var channels: Int
    /// Frame of the take's time line at which the file begins.
    var start: Int64
    /// Frames from the beginning of the project to the clip.
    var position: Int64
    /// Frames of the file skipped before the clip.
    var skip: Int64
    /// Length of the clip in frames; 0 if the range contains nothing of the track.
    var length: Int64
    /// Linear gain: the take's own gain times the setting.
    var volume: Double
    /// -1 is left, 0 the centre, 1 right.
    var pan: Double
    var isMuted: Bool
    var isSolo: Bool
  }

  /// A named position.
  struct Marker: Sendable {
    /// Frames from the beginning of the project.
    var position: Int64
    var text: String
  }

  var take: Take
  var software: String
  /// Display title: "Blue in Green, take 3".
  var title: String
  var lanes: [Lane]
  /// All cues of the take.
  var cues: [Cue]
  /// The cues that lie within the project.
  var markers: [Marker]
  /// Nil if the song's tempo is unknown.
  var tempo: ProjectTempo?
  /// Linear gain of the sum.
  var masterVolume: Double
  /// Frame of the take's time line at which the project begins.
  var start: Int64
  /// In frames.
  var length: Int64

  /// Gain of every track in the take's own mix, in dB; `MixSettings.Channel.gain` counts from here.
  static let ownGain = -3.0

  /// - Throws: `MixSettingsProblem`, `ExportProblem`, `FileProblem` if a track's file is missing or damaged.
  init(
    of folder: TakeFolder, manifest: Manifest, settings: MixSettings, cues: [Cue], tempo map: TempoMap?
  ) throws {
    let tracks = manifest.tracks.filter { $0.file != nil }.sorted { $0.number < $1.number }
    guard !tracks.isEmpty else { throw ExportProblem.noTracks(folder: folder.path) }
    let known = manifest.take.length ?? tracks.compactMap(\.length).max()
    try settings.check(tracks: tracks.map(\.number), length: known)

    let offsets = tracks.map { settings.channel($0.number).offset }
    let whole = known?.samples ?? 0
    start = settings.range?.lowerBound.samples ?? min(0, offsets.min() ?? 0)
    let end = settings.range?.upperBound.samples ?? whole + max(0, offsets.max() ?? 0)
    length = max(0, end - start)

    lanes = []
    for track in tracks {
      guard let file = track.file else { continue }
      try ProjectPlan.check(file, in: folder, manifest)
      let reader = try SoundFileReader(file, in: folder)
      guard reader.rate == Int(SamplePosition.rate) else {
        throw ExportProblem.wrongRate(file: folder.label(file), rate: reader.rate)
      }
      let channel = settings.channel(track.number)
      let part = track.part.map { " (\($0))" } ?? ""
      let first = max(start, channel.offset)
      lanes.append(
        Lane(
          name: "\(track.participant.name)\(part)", id: track.id, file: file, fileLength: reader.frameCount,
          channels: reader.channels, start: channel.offset, position: first - start, skip: first - channel.offset,
          length: max(0, min(end, channel.offset + reader.frameCount) - first),
          volume: ProjectPlan.factor(channel.gain + ProjectPlan.ownGain + manifest.gain(of: file)), pan: channel.pan,
          isMuted: channel.isMuted,
          isSolo: channel.isSolo))
    }
    take = manifest.take
    software = manifest.software
    title = "\(take.song.map(\.title) ?? "\(take.room)"), take \(take.number)"
    masterVolume = ProjectPlan.factor(settings.gain)
    self.cues = cues
    let (start, length) = (start, length)
    markers = cues.sorted { ($0.position, $0.id) < ($1.position, $1.id) }.compactMap { cue in
      let (place, overflow) = cue.position.samples.subtractingReportingOverflow(start)
      return !overflow && place >= 0 && place <= length ? Marker(position: place, text: cue.text) : nil
    }
    tempo = map.flatMap { ProjectTempo($0, start: start) }
  }

  /// Checks a file's length: if it differs, the file is not the one that was recorded.
  private static func check(_ file: String, in folder: TakeFolder, _ manifest: Manifest) throws {
    guard let expected = manifest.files.first(where: { $0.role == .track && $0.name == file })?.size else { return }
    let size = try folder.open(file).length(path: folder.label(file))
    guard size == expected else {
      throw ExportProblem.changed(file: folder.label(file), size: size, expected: expected)
    }
  }

  /// Converts decibels to a linear gain.
  static func factor(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// A number of frames in seconds, with enough digits to recover the exact frame.
  static func seconds(_ frames: Int64) -> String { number(Double(frames) / Double(SamplePosition.rate)) }

  /// A number with up to twelve decimal places, in a notation that every program can read.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let scale = 1e12
    let sign = value < 0 ? "-" : ""
    let magnitude = min(abs(value), 1e15)
    var whole = UInt64(magnitude)
    var fraction = UInt64(((magnitude - Double(whole)) * scale).rounded())
    if fraction >= UInt64(scale) { (whole, fraction) = (whole + 1, 0) }
    if fraction == 0 { return whole == 0 ? "0" : "\(sign)\(whole)" }
    var digits = String(fraction)
    digits = String(repeating: "0", count: 12 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
  }
}

extension ProjectPlan {
  /// The parts of `settings` that the format cannot express, in words.
  func omissions(_ settings: MixSettings, in format: ProjectFormat, manifest: Manifest) -> [String] {
    var words: [String] = []
    let tracks = manifest.tracks
    for track in tracks where track.file != nil {
      guard let corner = settings.channel(track.number).highPass else { continue }
      words.append("the high-pass of \(track.participant.name) (\(ProjectPlan.number(corner)) Hz)")
    }
    if settings.normalization != nil { words.append("the normalisation") }
    if settings.fadeIn > 0 || settings.fadeOut > 0 { words.append("the fades") }
    guard format == .audacity || format == .stems else { return words }
    for track in tracks {
      guard let gain = track.file.map(manifest.gain), gain > 0 else { continue }
      let decibels = ProjectPlan.number((gain * 100).rounded() / 100)
      words.append("+\(decibels) dB for \(track.participant.name), whose file is stored lower so that nothing clips")
    }
    let channels = tracks.map { settings.channel($0.number) }
    if settings.gain != 0 || channels.contains(where: { $0.gain != 0 }) { words.append("the gains") }
    if channels.contains(where: { $0.pan != 0 }) { words.append("the places between left and right") }
    if channels.contains(where: { $0.isMuted || $0.isSolo }) { words.append("mute and solo") }
    if tempo != nil { words.append("the tempo") }
    return words
  }
}
