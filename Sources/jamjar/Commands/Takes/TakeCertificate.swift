import Foundation
import Music
import Recording
import Signaling

/// The accuracy and completeness of a take, as text for users.
struct TakeCertificate {
  private let take: TakeView
  private let tracks: [JSONObject]
  private let manifest: Manifest?
  private let place: String

  /// - Parameters:
  ///   - tracks: the tracks as REST returns them.
  ///   - manifest: the source of further facts; nil if not yet written.
  ///   - place: the take's folder or address.
  init(_ take: TakeView, tracks: [JSONObject], manifest: Manifest?, place: String) {
    self.take = take
    self.tracks = tracks
    self.manifest = manifest
    self.place = place
  }

  var text: String {
    var parts = [head, tables]
    if let bounds { parts.append(bounds) }
    if !tracks.isEmpty { parts.append(gaps) }
    if tracks.contains(where: { $0["lossless"]?.object != nil }) { parts.append(lossless) }
    if !take.cues.isEmpty { parts.append(cues) }
    let notes = manifest?.notes ?? []
    if !notes.isEmpty { parts.append("Notes\n" + notes.map { "  \($0.printable)" }.joined(separator: "\n")) }
    return parts.joined(separator: "\n\n")
  }

  private var head: String {
    let song = take.song.map { " of \"\($0.printable)\"" } ?? ""
    let state = Screen.standard.painted(take.state, Style.state(take.state))
    let samples = take.duration.flatMap { SamplePosition(seconds: $0) }.map { " (\($0.samples) samples)" } ?? ""
    let heading = take.title.map { "\"\($0.printable)\"\n" } ?? ""
    var lines = [
      "\(heading)Take \(take.number)\(song) in room \"\(take.room.printable)\": \(state)",
      "  id       \(take.id)",
      "  started  \(Reading.time(take.startedAt)) UTC",
      "  length   \(Reading.length(seconds: take.duration))\(samples)",
      "  kept in  \(place)".printable,
    ]
    if let manifest, let mix = manifest.files.first(where: { $0.role == .mix }) {
      lines.append(
        "  mix      \(mix.name.printable), \(Reading.fixed(manifest.mixLoudness, 1)) LUFS, "
          + "peak \(Reading.fixed(manifest.mixPeak, 1)) dBFS")
    }
    var said = take.rating == nil ? [] : [Reading.stars(take.rating)]
    if take.isFavourite { said.append("favourite") }
    if !take.tags.isEmpty { said.append("tags \(take.tags.map(\.printable).joined(separator: ", "))") }
    if take.isDeleted { said.append("in the trash") }
    if !said.isEmpty { lines.append("  said     \(said.joined(separator: "; "))") }
    if let notes = take.notes { lines.append("  notes    \(notes.printableLines)") }
    return lines.joined(separator: "\n")
  }

  private var tables: String {
    guard !tracks.isEmpty else {
      let isOpen = TakeState(rawValue: take.state)?.isOpen ?? false
      return isOpen ? "The tracks are known when the take has ended." : "There are no tracks."
    }
    var place = TextTable([
      .number("track"), .text("musician"), .text("part"), .number("drift ppm"), .number("first sample s"),
      .number("off by at most ms"), .text("placed by"), .text("file"),
    ])
    var packets = TextTable([
      .number("track"), .text("musician"), .number("packets expected"), .number("recovered"), .number("lost"),
      .number("concealed %"), .number("gaps"), .number("LUFS"), .number("peak dBFS"),
    ])
    for track in tracks {
      let report = track["alignment"]?.object
      place.add([
        number(track), name(track), track["part"]?.string ?? "-", Reading.fixed(report?["drift"]?.double, 2),
        Reading.fixed(report?["offset"]?.double, 4), bound(report),
        report?["basis"]?.string ?? "-", file(of: track),
      ])
      packets.add([
        number(track), name(track), count(report?["expectedPackets"]), count(report?["recoveredPackets"]),
        count(report?["lostPackets"]), Reading.fixed(concealed(track), 3), "\(gaps(of: track).count)",
        Reading.fixed(track["loudness"]?.double, 1), Reading.fixed(track["peak"]?.double, 1),
      ])
    }
    return "Place on the time line\n\(place.text)\n\nWhat arrived\n\(packets.text)"
  }

  /// The bound over time, where it changes or is unknown.
  private var bounds: String? {
    var table = TextTable([
      .number("track"), .text("musician"), .number("from"), .number("to"), .number("off by at most ms"),
      .text("placed by"), .text("because"),
    ])
    for track in tracks {
      let stretches = track["alignment"]?.object?["errorBounds"]?.array?.compactMap(\.object) ?? []
      guard stretches.count > 1 || stretches.contains(where: { $0["errorBound"]?.double == nil }) else { continue }
      for stretch in stretches {
        table.add([
          number(track), name(track), Reading.length(seconds: stretch["start"]?.double),
          Reading.length(seconds: stretch["end"]?.double), bound(stretch), stretch["basis"]?.string ?? "-",
          stretch["unknownBecause"]?.string ?? "-",
        ])
      }
    }
    return table.isEmpty ? nil : "How exactly, over time\n\(table.text)"
  }

  private func bound(_ report: JSONObject?) -> String {
    guard let report else { return "-" }
    return report["errorBound"]?.double.map { Reading.fixed($0, 2) } ?? "unknown"
  }

  private var gaps: String {
    var table = TextTable([
      .number("track"), .text("musician"), .number("at"), .number("length ms"), .whole("cause"), .whole("filled with"),
    ])
    for track in tracks {
      for gap in gaps(of: track) {
        table.add([
          number(track), name(track), Reading.length(seconds: gap["start"]?.double),
          Reading.fixed(gap["duration"]?.double.map { $0 * 1_000 }, 1), words(gap["cause"]?.string),
          gap["concealed"]?.bool == true ? "concealment" : "silence",
        ])
      }
    }
    return table.isEmpty ? "Gaps: none." : "Gaps\n\(table.text)"
  }

  /// The musicians' own local recordings (docs/backup.md).
  private var lossless: String {
    var table = TextTable([
      .number("track"), .text("musician"), .number("first sample s"), .number("drift ppm"),
      .number("off by at most ms"), .number("fits"), .number("covers s"), .number("filled s"),
    ])
    for track in tracks {
      guard let lossless = track["lossless"]?.object else { continue }
      table.add([
        number(track), name(track), Reading.fixed(lossless["offset"]?.double, 4),
        Reading.fixed(lossless["drift"]?.double, 2), Reading.fixed(lossless["errorBound"]?.double, 3),
        Reading.fixed(lossless["correlation"]?.double, 3), Reading.fixed(lossless["covered"]?.double, 1),
        Reading.fixed(lossless["filled"]?.double, 1),
      ])
    }
    return "Lossless versions\n\(table.text)"
  }

  private var cues: String {
    var table = TextTable([.number("at"), .text("text")])
    for cue in take.cues {
      table.add([Reading.length(seconds: cue["position"]?.double), cue["text"]?.string ?? "-"])
    }
    return "Cues\n\(table.text)"
  }

  private func number(_ track: JSONObject) -> String { count(track["number"]) }

  private func name(_ track: JSONObject) -> String { track["participant"]?.object?["name"]?.string ?? "-" }

  private func gaps(of track: JSONObject) -> [JSONObject] { track["gaps"]?.array?.compactMap(\.object) ?? [] }

  private func count(_ value: JSONValue?) -> String { value?.integer.map { "\($0)" } ?? "-" }

  /// The file's name, known only from the manifest.
  private func file(of track: JSONObject) -> String {
    let id = track["id"]?.string
    return manifest?.files.first { $0.role == .track && $0.track?.description == id }?.name ?? "(no audio)"
  }

  /// Share of the track's samples that were concealed, in per cent.
  private func concealed(_ track: JSONObject) -> Double? {
    guard let samples = track["alignment"]?.object?["concealedSamples"]?.double,
      let duration = track["duration"]?.double, duration > 0
    else { return nil }
    return 100 * samples / (duration * Double(SamplePosition.rate))
  }

  private func words(_ cause: String?) -> String {
    switch cause.flatMap(Gap.Cause.init(rawValue:)) {
    case .loss: "lost packets"
    case .disconnected: "connection away"
    case .captureStall: "microphone stood still"
    case .undecodable: "packet not decodable"
    case .recorder: "recorder could not write"
    case nil: cause ?? "-"
    }
  }
}
