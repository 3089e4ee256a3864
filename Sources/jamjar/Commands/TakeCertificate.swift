import Foundation
import Music
import Recording

/// What a take is worth as a measurement, as a text for people.
struct TakeCertificate {
  private let manifest: Manifest
  private let data: String

  init(_ manifest: Manifest, data: String) {
    self.manifest = manifest
    self.data = data
  }

  private var take: Take { manifest.take }

  var text: String {
    var parts = [head, tracks]
    if !manifest.tracks.isEmpty { parts.append(gaps) }
    if !manifest.cues.isEmpty { parts.append(cues) }
    if !manifest.notes.isEmpty { parts.append("Notes\n" + manifest.notes.map { "  \($0)" }.joined(separator: "\n")) }
    return parts.joined(separator: "\n\n")
  }

  private var head: String {
    let song = take.song.map { " of \"\($0.title)\"" } ?? ""
    var lines = [
      "Take \(take.number)\(song) in room \"\(take.room)\": \(take.state.rawValue)",
      "  id       \(take.id)",
      "  started  \(Reading.started(take)) UTC",
      "  length   \(Reading.length(take.length))\(take.length.map { " (\($0.samples) samples)" } ?? "")",
      "  folder   \(data)/\(take.folder)",
    ]
    if let mix = manifest.files.first(where: { $0.role == .mix }) {
      lines.append(
        "  mix      \(mix.name), \(Reading.fixed(manifest.mixLoudness, 1)) LUFS, "
          + "peak \(Reading.fixed(manifest.mixPeak, 1)) dBFS")
    }
    return lines.joined(separator: "\n")
  }

  private var tracks: String {
    guard !manifest.tracks.isEmpty else {
      return take.state.isOpen ? "The tracks are known when the take has ended." : "There are no tracks."
    }
    var place = TextTable([
      .number("track"), .text("musician"), .text("part"), .number("drift ppm"), .number("first sample s"),
      .number("off by at most ms"), .text("placed by"), .text("file"),
    ])
    var packets = TextTable([
      .number("track"), .text("musician"), .number("packets expected"), .number("recovered"), .number("lost"),
      .number("concealed %"), .number("gaps"), .number("LUFS"), .number("peak dBFS"),
    ])
    for track in manifest.tracks {
      let report = track.alignment
      let name = track.participant.name.description
      place.add([
        "\(track.number)", name, track.part ?? "-", Reading.fixed(report?.drift, 2), Reading.fixed(report?.offset, 4),
        Reading.fixed(report?.errorBound, 2), report?.basis ?? "-", track.file ?? "(no audio)",
      ])
      packets.add([
        "\(track.number)", name, count(report?.expectedPackets), count(report?.recoveredPackets),
        count(report?.lostPackets), Reading.fixed(concealed(track), 3), "\(track.gaps.count)",
        Reading.fixed(track.loudness, 1), Reading.fixed(track.peak, 1),
      ])
    }
    return "Place on the time line\n\(place.text)\n\nWhat arrived\n\(packets.text)"
  }

  private var gaps: String {
    var table = TextTable([
      .number("track"), .text("musician"), .number("at"), .number("length ms"), .text("cause"), .text("filled with"),
    ])
    for track in manifest.tracks {
      for gap in track.gaps {
        table.add([
          "\(track.number)", track.participant.name.description, Reading.position(gap.start),
          Reading.fixed(gap.length.seconds * 1_000, 1), words(gap.cause), gap.isConcealed ? "concealment" : "silence",
        ])
      }
    }
    return table.isEmpty ? "Gaps: none." : "Gaps\n\(table.text)"
  }

  private var cues: String {
    var table = TextTable([.number("at"), .text("text")])
    for cue in manifest.cues { table.add([Reading.position(cue.position), cue.text]) }
    return "Cues\n\(table.text)"
  }

  private func count(_ number: Int?) -> String { number.map(String.init) ?? "-" }

  /// Samples that concealment made, of all of the track's, in per cent.
  private func concealed(_ track: Track) -> Double? {
    guard let samples = track.alignment?.concealedSamples, let length = track.length, length.samples > 0 else {
      return nil
    }
    return 100 * Double(samples) / Double(length.samples)
  }

  private func words(_ cause: Gap.Cause) -> String {
    switch cause {
    case .loss: "lost packets"
    case .disconnected: "connection away"
    case .captureStall: "microphone stood still"
    case .undecodable: "packet not decodable"
    case .recorder: "recorder could not write"
    }
  }
}
