import Music

/// A take in the exchange format DAWproject 1.0 (github.com/bitwig/dawproject): two XML files beside the sound.
///
/// Clips and markers are placed in seconds, so that they stay correct if the tempo changes. Tempo and metre are
/// placed in quarter notes, as in the programs that write the format.
struct DAWProject {
  /// `project.xml`
  let project: String
  /// `metadata.xml`
  let metadata: String

  static let projectName = "project.xml"
  static let metadataName = "metadata.xml"
  /// The folder for sound inside the archive.
  static let mediaFolder = "audio"
  /// The usual default of programs without a tempo.
  private static let defaultTempo = 120.0
  /// Volumes above this are written with a wider range.
  private static let usualMaximum = 2.0

  init(_ plan: ProjectPlan, media: [ProjectMedia]) {
    let first = plan.tempo?.points.first
    let transport = Markup(
      "Transport", [:],
      [
        Markup(
          "Tempo",
          [
            "max": "999", "min": "10", "unit": "bpm",
            "value": ProjectPlan.number(first?.tempo ?? DAWProject.defaultTempo), "id": "tempo", "name": "Tempo",
          ]),
        Markup(
          "TimeSignature",
          [
            "denominator": "\(first?.beatUnit ?? 4)", "numerator": "\(first?.beatsPerBar ?? 4)",
            "id": "timeSignature",
          ]),
      ])
    var structure = plan.lanes.enumerated().map { index, lane in DAWProject.track(lane, index + 1) }
    structure.append(DAWProject.master(plan))
    project =
      Markup(
        "Project", ["version": "1.0"],
        [
          Markup("Application", ["name": "Jamjar", "version": plan.software]), transport,
          Markup("Structure", [:], structure), DAWProject.arrangement(plan, media), Markup("Scenes"),
        ]
      ).document
    metadata = DAWProject.metadata(plan)
  }

  private static func track(_ lane: ProjectPlan.Lane, _ number: Int) -> Markup {
    Markup(
      "Track", ["contentType": "audio", "loaded": "true", "id": "track\(number)", "name": lane.name],
      [
        Markup(
          "Channel",
          [
            "audioChannels": "2", "destination": "masterChannel", "role": "regular", "solo": "\(lane.isSolo)",
            "id": "channel\(number)",
          ], strip(lane.volume, pan: lane.pan, isMuted: lane.isMuted, identifier: "\(number)"))
      ])
  }

  private static func master(_ plan: ProjectPlan) -> Markup {
    Markup(
      "Track", ["contentType": "audio", "loaded": "true", "id": "master", "name": "Master"],
      [
        Markup(
          "Channel", ["audioChannels": "2", "role": "master", "solo": "false", "id": "masterChannel"],
          strip(plan.masterVolume, pan: 0, isMuted: false, identifier: "Master"))
      ])
  }

  /// Mute, pan and volume, in the schema's order.
  private static func strip(_ volume: Double, pan: Double, isMuted: Bool, identifier: String) -> [Markup] {
    [
      Markup("Mute", ["value": "\(isMuted)", "id": "mute\(identifier)", "name": "Mute"]),
      // Normalised: 0 is left, 1 is right.
      Markup(
        "Pan",
        [
          "max": "1", "min": "0", "unit": "normalized", "value": ProjectPlan.number((pan + 1) / 2),
          "id": "pan\(identifier)", "name": "Pan",
        ]),
      Markup(
        "Volume",
        [
          "max": ProjectPlan.number(max(usualMaximum, volume)), "min": "0", "unit": "linear",
          "value": ProjectPlan.number(volume), "id": "volume\(identifier)", "name": "Volume",
        ]),
    ]
  }

  private static func arrangement(_ plan: ProjectPlan, _ media: [ProjectMedia]) -> Markup {
    let lanes = zip(plan.lanes, media).enumerated().map { index, pair in
      Markup(
        "Lanes", ["track": "track\(index + 1)", "id": "lanes\(index + 1)"],
        [Markup("Clips", ["id": "clips\(index + 1)"], clip(pair.0, pair.1, index + 1))])
    }
    var parts = [Markup("Lanes", ["timeUnit": "seconds", "id": "lanes"], lanes)]
    if !plan.markers.isEmpty {
      let markers = plan.markers.map { Markup("Marker", ["time": ProjectPlan.seconds($0.position), "name": $0.text]) }
      parts.append(Markup("Markers", ["timeUnit": "seconds", "id": "markers"], markers))
    }
    if let points = plan.tempo?.points, points.count > 1 { parts += automation(points) }
    return Markup("Arrangement", ["id": "arrangement"], parts)
  }

  private static func clip(_ lane: ProjectPlan.Lane, _ media: ProjectMedia, _ number: Int) -> [Markup] {
    guard lane.length > 0 else { return [] }
    let audio = Markup(
      "Audio",
      [
        "channels": "\(lane.channels)", "duration": ProjectPlan.seconds(lane.fileLength),
        "sampleRate": "\(SamplePosition.rate)", "timeUnit": "seconds", "id": "audio\(number)",
      ], [Markup("File", ["path": "\(mediaFolder)/\(media.name)", "external": "false"])])
    return [
      Markup(
        "Clip",
        [
          "time": ProjectPlan.seconds(lane.position), "duration": ProjectPlan.seconds(lane.length),
          "contentTimeUnit": "seconds", "playStart": ProjectPlan.seconds(lane.skip), "name": lane.name,
        ], [audio])
    ]
  }

  private static func automation(_ points: [ProjectTempo.Point]) -> [Markup] {
    let tempo = points.map {
      Markup(
        "RealPoint",
        ["time": ProjectPlan.number($0.quarters), "value": ProjectPlan.number($0.tempo), "interpolation": "hold"])
    }
    let metre = points.filter(\.beginsBar).map {
      Markup(
        "TimeSignaturePoint",
        [
          "time": ProjectPlan.number($0.quarters), "numerator": "\($0.beatsPerBar)", "denominator": "\($0.beatUnit)",
        ])
    }
    return [
      Markup(
        "TempoAutomation", ["timeUnit": "beats", "unit": "bpm", "id": "tempoAutomation"],
        [Markup("Target", ["parameter": "tempo"])] + tempo),
      Markup(
        "TimeSignatureAutomation", ["timeUnit": "beats", "id": "timeSignatureAutomation"],
        [Markup("Target", ["parameter": "timeSignature"])] + metre),
    ]
  }

  private static func metadata(_ plan: ProjectPlan) -> String {
    let take = plan.take
    var fields = [
      Markup("Title", text: plan.title),
      Markup("Artist", text: plan.lanes.map(\.name).joined(separator: ", ")),
      Markup("Album", text: take.room.description),
    ]
    fields.append(Markup("Year", text: String(take.startedAt.date.prefix(4))))
    fields.append(Markup("Comment", text: "\(take.startedAt), take \(take.id), recorded by \(plan.software)"))
    return Markup("MetaData", [:], fields).document
  }
}

/// An XML element with its attributes and contents.
struct Markup {
  var name: String
  var attributes: [(name: String, value: String)]
  var children: [Markup]
  /// The text of an element without children.
  var text: String?

  init(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String? = nil, _ children: [Markup] = []
  ) {
    self.name = name
    self.attributes = attributes.map { ($0.key, $0.value) }
    self.text = text
    self.children = children
  }

  /// An XML document with this root element, in UTF-8.
  var document: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + lines(0)
  }

  private func lines(_ depth: Int) -> String {
    let blanks = String(repeating: "  ", count: depth)
    let head = attributes.map { " \($0.name)=\"\(Markup.escaped($0.value))\"" }.joined()
    if let text { return "\(blanks)<\(name)\(head)>\(Markup.escaped(text))</\(name)>\n" }
    guard !children.isEmpty else { return "\(blanks)<\(name)\(head)/>\n" }
    return "\(blanks)<\(name)\(head)>\n" + children.map { $0.lines(depth + 1) }.joined() + "\(blanks)</\(name)>\n"
  }

  /// `text` escaped for an attribute or element; characters forbidden in XML 1.0 (section 2.2) become spaces.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
