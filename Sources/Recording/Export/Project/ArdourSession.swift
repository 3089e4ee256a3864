import Glibc
import Machines
import Music

/// A take as a session of Ardour 7 and later (also Mixbus and LiveTrax): one XML file above a folder of sound.
///
/// What Ardour's own sessions state and this one does not gets Ardour's defaults. Times are in its superclocks, of which
/// a sample has a whole number.
struct ArdourSession {
  /// Where Ardour looks for sound: any single folder in `interchange` will do.
  static let mediaFolder = ["interchange", "take", "audiofiles"]
  /// Version 7.2 of the format.
  private static let version = "7002"
  /// Superclocks per second and per sample.
  private static let clock: Int64 = 282_240_000
  private static let perSample = clock / SamplePosition.rate
  private static let ticksPerQuarter = 1_920.0
  private static let balance = "http://ardour.org/plugin/panner_balance"
  /// Names of Ardour's own buses, which no track can have.
  private static let reserved: Set<String> = ["Master", "Monitor", "Click", "Auditioner"]

  private(set) var text = ""
  private var lastIdentifier = 0
  private var names: Set<String> = ArdourSession.reserved

  init(_ plan: ProjectPlan, media: [ProjectMedia]) {
    var (sources, playlists, routes, tracks): ([Markup], [Markup], [Markup], [String]) = ([], [], [], [])
    for (index, (lane, media)) in zip(plan.lanes, media).enumerated() {
      let name = unique(lane.name)
      tracks.append(name)
      let channels = (0..<min(2, lane.channels)).map { channel in
        Markup(
          "Source",
          [
            "name": media.name, "take-id": "", "type": "audio", "flags": "", "id": identifier(),
            "channel": "\(channel)", "origin": "", "gain": "1",
          ])
      }
      let (playlist, route) = (identifier(), identifier())
      sources += channels
      routes.append(track(lane, name, index + 1, identifier: route, playlist: playlist))
      playlists.append(
        Markup(
          "Playlist",
          ["id": playlist, "name": name, "type": "audio", "orig-track-id": route, "frozen": "0", "combine-ops": "0"],
          lane.length > 0 ? [region(lane, name, channels)] : []))
    }
    let all = [master(plan, tracks)] + routes
    let locations = self.locations(plan)
    var session = Markup(
      "Session",
      [
        "version": ArdourSession.version, "name": "take", "sample-rate": "\(SamplePosition.rate)",
        "session-range-is-free": "0",
      ],
      [
        // Ardour asks what wrote a session in this form.
        Markup("ProgramVersion", ["created-with": "Jamjar", "modified-with": "Jamjar"]),
        Markup(
          "Config", [:],
          [
            Markup("Option", ["name": "native-file-data-format", "value": "FormatFloat"]),
            // Otherwise every clip begins with a fade.
            Markup("Option", ["name": "use-region-fades", "value": "0"]),
          ]),
        Markup("Metadata", [:], [Markup("title", text: plan.title)]), Markup("Sources", [:], sources),
        Markup("Regions"), Markup("Locations", [:], locations),
        // Without these, also empty, Ardour refuses the session.
        Markup("Bundles"), Markup("Routes", [:], all), Markup("Playlists", [:], playlists),
        Markup("UnusedPlaylists"), Markup("RouteGroups"), ArdourSession.tempo(plan),
      ])
    session.attributes.append(("id-counter", "\(lastIdentifier + 1)"))
    text = session.document
  }

  private mutating func identifier() -> String {
    lastIdentifier += 1
    return "\(lastIdentifier)"
  }

  /// A name that no other track has; ports are named after tracks, with a slash and a colon as separators.
  private mutating func unique(_ name: String) -> String {
    let plain = LabelTrack.line(name.replacing("/", with: "-").replacing(":", with: "-"))
    let free = names.contains(plain) ? (2...).lazy.map { "\(plain) \($0)" }.first { !names.contains($0) } : nil
    names.insert(free ?? plain)
    return free ?? plain
  }

  // MARK: Tracks

  private mutating func track(
    _ lane: ProjectPlan.Lane, _ name: String, _ number: Int, identifier route: String, playlist: String
  ) -> Markup {
    let inputs = (1...max(1, min(2, lane.channels))).map { ArdourSession.port("\(name)/audio_in \($0)", to: []) }
    let outputs = (1...2).map { ArdourSession.port("\(name)/audio_out \($0)", to: ["Master/audio_in \($0)"]) }
    let panner = ArdourSession.panner(lane)
    let mute = lane.isMuted ? "1" : "0"
    let solo = lane.isSolo ? "1" : "0"
    return Markup(
      "Route",
      [
        "version": ArdourSession.version, "id": route, "name": name, "default-type": "audio", "strict-io": "0",
        "active": "1", "audio-playlist": playlist, "mode": "Normal",
      ],
      [
        Markup("PresentationInfo", ["order": "\(number)", "flags": "AudioTrack,OrderSet", "color": "0"]),
        control("solo", solo, ["self-solo": solo, "soloed-by-upstream": "0", "soloed-by-downstream": "0"]),
        io(name, "Input", inputs), io(name, "Output", outputs),
        Markup("MuteMaster", ["mute-point": "PreFader,PostFader,Listen,Main", "muted": mute]),
        control("mute", mute),
        Markup(
          "Pannable", [:],
          [
            control("pan-azimuth", ProjectPlan.number(panner.azimuth)),
            control("pan-width", lane.channels == 2 ? "1" : "0"),
          ]),
        processor("recorder:\(name)", "diskwriter", ["record-safe": "0"]),
        processor("player:\(name)", "diskreader"),
        amplifier(lane.volume * panner.gain),
        output(name, panner: lane.channels == 2 && lane.pan != 0 ? ArdourSession.balance : ""),
      ])
  }

  /// Where Ardour's panner has to stand, and the gain beside it, so that both sides sound as in our mix.
  private static func panner(_ lane: ProjectPlan.Lane) -> (azimuth: Double, gain: Double) {
    let pan = Pan(lane.pan)
    let (left, right) = (pan.left, pan.right)
    // Stereo by the balance, which lowers one side in proportion.
    guard lane.channels == 1 else {
      return right >= left ? (1 - left / right / 2, right) : (right / left / 2, left)
    }
    // Mono by the equal-power panner, whose curve is a parabola through -3 dB in the centre.
    let bend = 2 - 4 * pow(10, -3.0 / 20)
    func side(_ place: Double) -> Double { place * (bend * place + 1 - bend) }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if side(middle) * left < side(1 - middle) * right { low = middle } else { high = middle }
    }
    let azimuth = (low + high) / 2
    return (azimuth, right >= left ? right / side(azimuth) : left / side(1 - azimuth))
  }

  private mutating func master(_ plan: ProjectPlan, _ tracks: [String]) -> Markup {
    let inputs = (1...2).map { side in
      ArdourSession.port("Master/audio_in \(side)", to: tracks.map { "\($0)/audio_out \(side)" })
    }
    let outputs = (1...2).map { ArdourSession.port("Master/audio_out \($0)", to: ["system:playback_\($0)"]) }
    return Markup(
      "Route",
      [
        "version": ArdourSession.version, "id": identifier(), "name": "Master", "default-type": "audio",
        "strict-io": "1", "active": "1",
      ],
      [
        Markup("PresentationInfo", ["order": "0", "flags": "MasterOut,OrderSet", "color": "0"]),
        io("Master", "Input", inputs), io("Master", "Output", outputs), amplifier(plan.masterVolume),
        output("Master", panner: ""),
      ])
  }

  private static func port(_ name: String, to others: [String]) -> Markup {
    Markup("Port", ["type": "audio", "name": name], others.map { Markup("Connection", ["other": $0]) })
  }

  private mutating func io(_ name: String, _ direction: String, _ ports: [Markup]) -> Markup {
    Markup("IO", ["name": name, "id": identifier(), "direction": direction, "default-type": "audio"], ports)
  }

  private mutating func control(
    _ name: String, _ value: String, _ others: KeyValuePairs<String, String> = [:]
  ) -> Markup {
    var control = Markup("Controllable", ["name": name, "id": identifier(), "flags": "", "value": value])
    control.attributes += others.map { ($0.key, $0.value) }
    return control
  }

  private mutating func processor(
    _ name: String, _ type: String, _ others: KeyValuePairs<String, String> = [:], _ children: [Markup] = []
  ) -> Markup {
    var processor = Markup(
      "Processor", ["id": identifier(), "name": name, "active": "1", "type": type], children)
    processor.attributes += others.map { ($0.key, $0.value) }
    return processor
  }

  private mutating func amplifier(_ gain: Double) -> Markup {
    let control = control("gaincontrol", ProjectPlan.number(gain))
    return processor("Amp", "amp", [:], [control])
  }

  private mutating func output(_ name: String, panner: String) -> Markup {
    processor(
      name, "main-outs", ["own-input": "1", "own-output": "0", "output": name, "role": "Main"],
      [Markup("PannerShell", ["bypassed": "0", "user-panner": panner, "linked-to-route": "1"])])
  }

  // MARK: Times

  private static func time(_ samples: Int64) -> String { "a\(samples * perSample)" }

  private mutating func region(_ lane: ProjectPlan.Lane, _ name: String, _ sources: [Markup]) -> Markup {
    var region = Markup(
      "Region",
      [
        "name": name, "muted": "0", "opaque": "1", "locked": "0", "automatic": "0", "whole-file": "0", "import": "0",
        "external": "0", "start": ArdourSession.time(lane.skip),
        "length": "\(ArdourSession.time(lane.length))@\(ArdourSession.time(lane.position))", "sync-position": "a0",
        "type": "audio", "first-edit": "nothing", "layering-index": "0", "id": identifier(),
        "channels": "\(sources.count)", "scale-amplitude": "1", "fade-in-active": "0", "fade-out-active": "0",
        "default-fade-in": "0", "default-fade-out": "0", "envelope-active": "0",
      ])
    for (channel, source) in sources.enumerated() {
      let identifier = source.attributes.first { $0.name == "id" }?.value ?? ""
      region.attributes += [("source-\(channel)", identifier), ("master-source-\(channel)", identifier)]
    }
    return region
  }

  private mutating func locations(_ plan: ProjectPlan) -> [Markup] {
    func location(_ name: String, _ start: Int64, _ end: Int64, _ flags: String, _ identifier: String) -> Markup {
      Markup(
        "Location",
        [
          "id": identifier, "name": name, "start": ArdourSession.time(start), "end": ArdourSession.time(end),
          "flags": flags, "locked": "0",
        ])
    }
    var all = [location("session", 0, plan.length, "IsSessionRange", identifier())]
    for marker in plan.markers {
      all.append(
        location(LabelTrack.line(marker.text), marker.position, marker.position, "IsMark", identifier()))
    }
    return all
  }

  /// The tempo map, 120 in 4/4 without one. Ardour's metres begin on bar lines; others are left out.
  private static func tempo(_ plan: ProjectPlan) -> Markup {
    let usual = ProjectTempo.Point(
      seconds: 0, quarters: 0, tempo: 120, beatsPerBar: 4, beatUnit: 4, beginsBar: true, isPartial: false)
    var (tempos, metres): ([Markup], [Markup]) = ([], [])
    // The latest metre's bar and its place in quarter notes, the lengths of a bar and a beat.
    var (bar, origin, length, beat) = (0.0, 0.0, 4.0, 1.0)
    for point in plan.tempo?.points ?? [usual] {
      let bars = ((point.quarters - origin) / length).rounded()
      if point.beginsBar, abs(point.quarters - origin - bars * length) < 1e-3 {
        (bar, origin) = (bar + bars, point.quarters)
        (length, beat) = (Double(point.beatsPerBar) * 4 / Double(point.beatUnit), 4 / Double(point.beatUnit))
        var metre = Markup(
          "Meter", ["note-value": "\(point.beatUnit)", "divisions-per-bar": "\(point.beatsPerBar)"])
        metre.attributes += place(point, bar: bar, into: 0, beat)
        metres.append(metre)
      }
      let whole = ((point.quarters - origin) / length + 1e-9).rounded(.down)
      var tempo = Markup(
        "Tempo",
        [
          "npm": ProjectPlan.number(point.tempo), "enpm": ProjectPlan.number(point.tempo), "note-type": "4",
          "type": "Tempo::Constant", "active": "1", "locked-to-meter": "0", "continuing": "0", "omega": "0",
        ])
      tempo.attributes += place(point, bar: bar + whole, into: point.quarters - origin - whole * length, beat)
      tempos.append(tempo)
    }
    return Markup(
      "TempoMap", ["superclocks-per-second": "\(clock)"],
      [Markup("Tempos", [:], tempos), Markup("Meters", [:], metres), Markup("MusicTimes")])
  }

  /// A place in superclocks, in quarter notes, and in bars, beats and ticks.
  private static func place(
    _ point: ProjectTempo.Point, bar: Double, into rest: Double, _ beat: Double
  ) -> [(name: String, value: String)] {
    let (ticks, unit) = (Int64(saturating: (point.quarters * ticksPerQuarter).rounded()), Int64(ticksPerQuarter))
    let clocks = Int64(saturating: (point.seconds * Double(clock)).rounded())
    let beats = max(0, rest / beat).rounded(.down)
    let left = Int64(saturating: ((rest - beats * beat) * ticksPerQuarter).rounded())
    return [
      ("sclock", "\(clocks)"), ("quarters", "\(ticks / unit):\(ticks % unit)"),
      ("bbt", "\(Int64(saturating: bar) + 1)|\(Int64(saturating: beats) + 1)|\(max(0, left))"),
    ]
  }
}
