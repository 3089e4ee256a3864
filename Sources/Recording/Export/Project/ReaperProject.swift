import Foundation
import Music

/// A take as a Reaper project: a text with one block per track and item, and media names relative to the file.
///
/// Reaper fills in missing fields. Levels sound as in the take's mix: its pan law is Reaper's "-3 dB with gain
/// compensation" with the sine taper.
struct ReaperProject {
  private(set) var text = ""
  private var depth = 0

  /// Constant power, 0 dB in the centre, +3 dB at the sides.
  private static let panLaw = ProjectPlan.number(2.0.squareRoot())
  /// Stereo balance; pan for mono.
  private static let panMode = 3
  /// Sine taper.
  private static let panTaper = 0
  /// Flag of a tempo point (a bit field): tempo and metre both change.
  private static let setsTempoAndMetre = 1
  private static let allowsPartialBar = 4
  /// Soloed in place.
  private static let solo = 2
  /// Distinguishes the identifiers of a track and its item.
  private static let (trackSalt, itemSalt): (UInt64, UInt64) = (1, 2)

  init(_ plan: ProjectPlan, media: [ProjectMedia]) {
    block("REAPER_PROJECT 0.1 \"7.0\" \(plan.take.startedAt.milliseconds / 1_000)") { project in
      project.notes(plan)
      project.head(plan)
      project.tempo(plan)
      for (index, marker) in plan.markers.enumerated() {
        project.line(
          "MARKER \(index + 1) \(ProjectPlan.seconds(marker.position)) \(ReaperText.quoted(marker.text)) 0")
      }
      for (lane, media) in zip(plan.lanes, media) { project.track(lane, media) }
    }
  }

  private mutating func notes(_ plan: ProjectPlan) {
    block("NOTES 0 2") { notes in
      let take = plan.take
      notes.line("|" + LabelTrack.line(plan.title))
      notes.line("|" + LabelTrack.line("Room \(take.room), \(take.startedAt), take \(take.id)"))
      notes.line("|" + LabelTrack.line("Recorded by \(plan.software)"))
    }
  }

  private mutating func head(_ plan: ProjectPlan) {
    line("PANLAW \(ReaperProject.panLaw)")
    line("PANLAWFLAGS \(ReaperProject.panTaper)")
    line("PANMODE \(ReaperProject.panMode)")
    line("SAMPLERATE \(SamplePosition.rate) 1 0")
    // Items stay in place when the user changes the tempo: the music was recorded first.
    line("TIMELOCKMODE 0")
    line("TEMPOENVLOCKMODE 0")
    line("MASTER_NCH 2 2")
    line("MASTER_VOLUME \(ProjectPlan.number(plan.masterVolume)) 0 -1 -1 1")
    line("MASTERMUTESOLO 0")
  }

  private mutating func tempo(_ plan: ProjectPlan) {
    guard let points = plan.tempo?.points, let first = points.first else { return }
    line("TEMPO \(ProjectPlan.number(first.tempo)) \(first.beatsPerBar) \(first.beatUnit) 0")
    guard points.count > 1 else { return }
    block("TEMPOENVEX") { envelope in
      envelope.line("ACT 1 -1")
      envelope.line("VIS 1 0 1")
      envelope.line("LANEHEIGHT 0 0")
      envelope.line("ARM 0")
      envelope.line("DEFSHAPE 1 -1 -1")
      for point in points {
        var words = "PT \(ProjectPlan.number(point.seconds)) \(ProjectPlan.number(point.tempo)) 1"
        if point.beginsBar {
          let flags = ReaperProject.setsTempoAndMetre | (point.isPartial ? ReaperProject.allowsPartialBar : 0)
          words += " \(point.beatUnit << 16 | point.beatsPerBar) 0 \(flags)"
        }
        envelope.line(words)
      }
    }
  }

  private mutating func track(_ lane: ProjectPlan.Lane, _ media: ProjectMedia) {
    let identifier = ReaperText.guid(lane.id.ulid, ReaperProject.trackSalt)
    block("TRACK \(identifier)") { track in
      track.line("NAME \(ReaperText.quoted(lane.name))")
      track.line(
        "VOLPAN \(ProjectPlan.number(lane.volume)) \(ProjectPlan.number(lane.pan)) \(ReaperProject.panLaw) -1 1")
      track.line("MUTESOLO \(lane.isMuted ? 1 : 0) \(lane.isSolo ? ReaperProject.solo : 0) 0")
      track.line("PANMODE \(ReaperProject.panMode)")
      track.line("PANLAWFLAGS \(ReaperProject.panTaper)")
      track.line("NCHAN 2")
      track.line("TRACKID \(identifier)")
      track.line("MAINSEND 1 0")
      if lane.length > 0 { track.item(lane, media) }
    }
  }

  private mutating func item(_ lane: ProjectPlan.Lane, _ media: ProjectMedia) {
    block("ITEM") { item in
      item.line("POSITION \(ProjectPlan.seconds(lane.position))")
      item.line("LENGTH \(ProjectPlan.seconds(lane.length))")
      item.line("LOOP 0")
      // Explicit, because otherwise Reaper applies the fades of the user's preferences.
      item.line("FADEIN 1 0 0 1 0 0 0")
      item.line("FADEOUT 1 0 0 1 0 0 0")
      item.line("MUTE 0 0")
      item.line("IGUID \(ReaperText.guid(lane.id.ulid, ReaperProject.itemSalt))")
      item.line("NAME \(ReaperText.quoted(lane.name))")
      item.line("VOLPAN 1 0 1 -1")
      item.line("SOFFS \(ProjectPlan.seconds(lane.skip))")
      item.line("PLAYRATE 1 1 0 -1 0 0.0025")
      item.line("CHANMODE 0")
      item.block("SOURCE \(media.name.hasSuffix(".flac") ? "FLAC" : "WAVE")") { source in
        source.line("FILE \(ReaperText.quoted(media.name))")
      }
    }
  }

  private mutating func line(_ words: String) {
    text += String(repeating: "  ", count: depth) + words + "\n"
  }

  private mutating func block(_ head: String, _ body: (inout ReaperProject) -> Void) {
    line("<" + head)
    depth += 1
    body(&self)
    depth -= 1
    line(">")
  }
}

/// Texts and identifiers in the notation of Reaper's project files.
enum ReaperText {
  /// `text` in quotation marks that it does not contain; control characters become spaces, since fields end at a line
  /// end.
  ///
  /// Reaper has three kinds of quotation marks and no escapes. If a text contains all three, its backticks become
  /// apostrophes.
  static func quoted(_ text: String) -> String {
    let line = LabelTrack.line(text)
    for mark in ["\"", "'", "`"] where !line.contains(mark) { return mark + line + mark }
    return "`" + line.replacing("`", with: "'") + "`"
  }

  /// A GUID in braces, derived from 128 bits and a number that distinguishes identifiers of the same origin.
  static func guid(_ ulid: ULID, _ salt: UInt64) -> String {
    // Multiplication makes neighbouring numbers differ in many bits (the golden ratio, after Knuth).
    let low = ulid.low ^ (salt &* 0x9E37_79B9_7F4A_7C15)
    let digits = String(format: "%016llX%016llX", ulid.high, low)
    var parts: [Substring] = []
    var rest = Substring(digits)
    for length in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return "{" + parts.joined(separator: "-") + "}"
  }
}
