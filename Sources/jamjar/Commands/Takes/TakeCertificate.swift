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
    if let sources { parts.append(sources) }
    if let caveats { parts.append(caveats) }
    if !tracks.isEmpty { parts.append(gaps) }
    if let quality { parts.append(quality) }
    if let unseenDrops { parts.append(unseenDrops) }
    if let talks { parts.append(talks) }
    if let backings { parts.append(backings) }
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
    if let copies = TakeCertificate.copies(take.json["objects"]?.object) {
      lines.append("  copies   \(copies.printable)")
    }
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

  /// Where the copies of its files are, and whether they have arrived.
  private static func copies(_ objects: JSONObject?) -> String? {
    guard let objects, let state = objects["state"]?.string else { return nil }
    let size = Double(objects["bytes"]?.integer ?? 0) / 1_048_576
    var text = "\(state), \(Reading.fixed(size, 1)) MiB in \(objects["place"]?.string ?? "the object store")"
    if objects["local"]?.bool == false { text += "; the sound is there only" }
    if let error = objects["error"]?.string { text += ": \(error)" }
    return text
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

  /// What the tracks came by, which only the manifest knows.
  private var sources: String? {
    guard let sources = manifest?.sources, !sources.isEmpty else { return nil }
    var table = TextTable([
      .number("track"), .text("musician"), .text("part"), .text("came by"), .text("sent as"), .number("kbit/s"),
    ])
    for track in tracks {
      let id = track["id"]?.string
      guard let source = sources.first(where: { $0.track.description == id }) else { continue }
      table.add([
        number(track), name(track), track["part"]?.string ?? "-", source.dialect.printable, source.codec.printable,
        Reading.fixed(source.bitrate.map { $0 / 1_000 }, 1),
      ])
    }
    return table.isEmpty ? nil : "What it came by\n\(table.text)"
  }

  /// What nobody here can know of tracks that a bot brought from another server.
  private var caveats: String? {
    let kinds = Set((manifest?.sources ?? []).compactMap { GuestKind(origin: $0.dialect) })
    guard !kinds.isEmpty else { return nil }
    let lines = kinds.sorted { $0.rawValue < $1.rawValue }.map { "  \($0.origin): \($0.caveats)" }
    return "What is not known of a bot's tracks\n" + lines.joined(separator: "\n")
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

  private var quality: String? { manifest.flatMap { QualityTable(tracks, $0.quality ?? []).text } }

  /// Where a sender could have left out sound unnoticed; nil for takes that state nothing of it.
  private var unseenDrops: String? {
    spans("unseenDrops", titled: "Where sound that the sender left out would not show")
  }

  /// Where musicians talked to the others, which is silence in their tracks.
  private var talks: String? { spans("talks", titled: "Talk to the others, which is silence in the track") }

  private func spans(_ member: String, titled title: String) -> String? {
    var table = TextTable([
      .number("track"), .text("musician"), .number("from s"), .number("to s"), .number("length ms"),
    ])
    for track in tracks {
      for stretch in track["alignment"]?.object?[member]?.array?.compactMap(\.object) ?? [] {
        let (start, end) = (stretch["start"]?.double, stretch["end"]?.double)
        let length = start.flatMap { start in end.map { ($0 - start) * 1_000 } }
        table.add([
          number(track), name(track), Reading.fixed(start, 3), Reading.fixed(end, 3), Reading.fixed(length, 0),
        ])
      }
    }
    return table.isEmpty ? nil : "\(title)\n\(table.text)"
  }

  /// What the room heard beside the musicians, which is in no track.
  private var backings: String? {
    guard let backings = manifest?.backings, !backings.isEmpty else { return nil }
    var table = TextTable([.text("title"), .number("at s"), .number("its place s"), .number("length s")])
    for backing in backings {
      table.add([
        backing.title.printable, Reading.fixed(backing.start.seconds, 3), Reading.fixed(backing.from.seconds, 3),
        Reading.fixed(backing.length.seconds, 3),
      ])
    }
    return "Backing tracks that the room heard, which are in no track\n\(table.text)"
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
