import Foundation
import Music
import Testing

@testable import Recording

/// Sessions of Ardour, read by Python's XML parser, and by Ardour itself where it is installed (`apt-get install
/// ardour`).
struct ArdourSessionTests {
  /// No range: Ardour's exporter writes the session's range.
  private static let settings = MixSettings(
    channels: [
      1: .init(gain: -6.5, pan: 0.3, offset: 480), 2: .init(gain: 3, pan: -0.4), 3: .init(pan: 0.7, offset: -250),
    ], gain: -2)

  private static let tempo = TempoMap(changes: [
    .init(position: .zero, beatsPerMinute: 120), .init(position: SamplePosition(48_000), beatsPerMinute: 90),
    .init(position: SamplePosition(96_000), beatsPerMinute: 60, beatsPerBar: 3),
  ])

  private static let ardour = ["/usr/bin/ardour7-export", "/usr/bin/ardour8-export", "/usr/bin/ardour9-export"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private struct Session: Decodable {
    struct Source: Decodable {
      var name: String
      var channel: Int
    }
    struct Track: Decodable {
      var name: String
      var mute, solo: Bool
      var sources: [Source]
      /// In superclocks.
      var position, start, length: [Int64]
    }
    var tracks: [Track]
    var marks: [String: Int64]
    var end: Int64
    var tempos: [[String]]
    var metres: [[String]]
  }

  private static let reader = """
    import json, sys, xml.etree.ElementTree as tree
    session = tree.parse(sys.argv[1]).getroot()
    ids = [e.get("id") for e in session.iter() if e.get("id")]
    assert len(ids) == len(set(ids)) and all(int(i) < int(session.get("id-counter")) for i in ids)
    for part in "Config Sources Regions Locations Bundles Routes Playlists UnusedPlaylists RouteGroups TempoMap".split():
        assert session.find(part) is not None, part
    sources = {s.get("id"): dict(name=s.get("name"), channel=int(s.get("channel"))) for s in session.iter("Source")}
    ports = {p.get("name"): {c.get("other") for c in p} for p in session.iter("Port")}
    for name, others in ports.items():
        for other in others:
            assert other.startswith("system:") or name in ports[other], (name, other)
    tracks = []
    for route in session.findall("Routes/Route"):
        if route.get("name") == "Master": continue
        playlist = session.find("Playlists/Playlist[@id='%s']" % route.get("audio-playlist"))
        assert playlist.get("orig-track-id") == route.get("id")
        control = {c.get("name"): c.get("value") for c in route.iter("Controllable")}
        regions = playlist.findall("Region")
        tracks.append(dict(name=route.get("name"), mute=control["mute"] == "1", solo=control["solo"] == "1",
            sources=[sources[r.get("source-%d" % k)] for r in regions for k in range(int(r.get("channels")))],
            position=[int(r.get("length").split("@a")[1]) for r in regions],
            start=[int(r.get("start")[1:]) for r in regions],
            length=[int(r.get("length").split("@")[0][1:]) for r in regions]))
    places = {l.get("name"): int(l.get("start")[1:]) for l in session.iter("Location") if l.get("flags") == "IsMark"}
    whole = session.find("Locations/Location[@flags='IsSessionRange']")
    print(json.dumps(dict(tracks=tracks, marks=places, end=int(whole.get("end")[1:]),
        tempos=[[t.get("npm"), t.get("sclock"), t.get("quarters"), t.get("bbt")] for t in session.iter("Tempo")],
        metres=[[m.get("divisions-per-bar"), m.get("note-value"), m.get("bbt")] for m in session.iter("Meter")])))
    """

  @Test func aSessionHasTracksPlacesNamesCuesAndTempo() throws {
    let take = try ProjectRehearsal()
    var settings = Self.settings
    settings.channels[2] = .init(isMuted: true)
    settings.channels[3] = .init(isSolo: true, offset: -240)
    let result = try take.export.writeFolder("out", in: take.target, .ardour, settings: settings, tempo: Self.tempo)
    let main = try #require(result.main)
    let session: Session = try OutsideReader.python(Self.reader, take.path("out/\(main)"))
    // Slashes and colons separate the names of ports.
    #expect(session.tracks.map(\.name).allSatisfy { !$0.contains("/") && !$0.contains(":") })
    #expect(session.tracks.map(\.mute) == [false, true, false] && session.tracks.map(\.solo) == [false, false, true])
    let clock: Int64 = 5_880
    #expect(session.tracks.flatMap(\.position) == [720 * clock, 240 * clock, 0])
    #expect(session.tracks.flatMap(\.length) == [96_000 * clock, 96_000 * clock, 96_000 * clock])
    #expect(session.tracks.map(\.sources.count) == ProjectRehearsal.channels)
    #expect(session.end == 96_720 * clock)
    #expect(Set(session.marks.values) == [24_240 * clock, 48_240 * clock, 96_240 * clock])
    // Two quarters to the first change; its 3.5th quarter is on no bar line, so that the metre stays.
    // The take begins 240 samples, 19 ticks, behind the beginning of the session.
    #expect(session.tempos.map { $0[0] } == ["120", "120", "90", "60"])
    #expect(session.tempos.map { $0[2] } == ["0:0", "0:19", "2:19", "3:979"])
    #expect(session.metres.map { $0[0] } == ["4"])
    let media = try take.exported("out/" + ArdourSession.mediaFolder.joined(separator: "/"))
    for (track, samples) in zip(session.tracks, take.tracks) {
      #expect(try ProjectRehearsal.samples(try #require(track.sources.first?.name), in: media) == samples)
    }
  }

  @Test func tracksOfOneNameAndOfArdoursOwnBusesGetNumbers() throws {
    var take = try ProjectRehearsal()
    let names = ["Master", "Ada", "Ada"]
    for (index, name) in names.enumerated() {
      take.manifest.tracks[index].participant.name = try JournalSamples.name(name)
      take.manifest.tracks[index].part = nil
    }
    let result = try take.export.writeFolder("out", in: take.target, .ardour)
    let session: Session = try OutsideReader.python(Self.reader, take.path("out/\(try #require(result.main))"))
    #expect(session.tracks.map(\.name) == ["Master 2", "Ada", "Ada 2"])
    #expect(session.tempos.map { $0[0] } == ["120"])
  }

  /// What Ardour makes of the session is our mix.
  @Test(.enabled(if: ArdourSessionTests.ardour != nil)) func ardourOpensTheSessionAndExportsOurMix() throws {
    let take = try ProjectRehearsal()
    let result = try take.export.writeFolder(
      "out", in: take.target, .ardour, settings: Self.settings, tempo: Self.tempo)
    let name = try #require(result.main).dropLast(".ardour".count)
    // It would write its settings into the user's home. Ardour 7 of Debian 12 overwrites its own heap now and then, on a busy
    // machine, while it exports.
    _ = try OutsideReader.runCrashing(
      "env",
      [
        "HOME=\(take.scratch.path)", "XDG_CONFIG_HOME=\(take.scratch.path)", try #require(Self.ardour), "-b", "float",
        "-o", take.path("ardour.wav"), take.path("out"), String(name),
      ])
    let theirs = try ProjectRehearsal.samples("ardour.wav", in: take.target)
    let down = MixDown(of: take.folder, manifest: take.manifest)
    _ = try down.write("sum.wav", in: take.folder, settings: Self.settings, format: .wav32f)
    let ours = try ProjectRehearsal.samples("sum.wav", in: take.folder)
    #expect(theirs.count == ours.count)
    var highest: Float = 0
    for (one, other) in zip(theirs, ours) { highest = max(highest, abs(one - other)) }
    let decibels = 20 * log10(Double(highest))
    #expect(decibels < -120, "\(decibels) dBFS")
  }
}
