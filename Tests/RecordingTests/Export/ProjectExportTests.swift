import Foundation
import Music
import Testing

@testable import Recording

struct ProjectExportTests {
  private typealias Block = OutsideReader.Block

  private static let settings = MixSettings(
    channels: [
      1: .init(gain: -6, pan: 0.5, offset: 480), 2: .init(gain: 3, isMuted: true), 3: .init(isSolo: true, offset: -240),
    ], gain: -2)

  private static let tempo = TempoMap(changes: [
    .init(position: .zero, beatsPerMinute: 120), .init(position: SamplePosition(48_000), beatsPerMinute: 90),
    .init(position: SamplePosition(80_000), beatsPerMinute: 180, beatsPerBar: 6, beatUnit: 8),
  ])

  private func reaper(
    _ take: ProjectRehearsal, _ settings: MixSettings = MixSettings(), tempo: TempoMap? = nil
  ) throws -> (project: Block, folder: TakeFolder, result: ExportedProject) {
    let name = take.export.outputName(.reaper, isArchive: false)
    let result = try take.export.writeFolder(name, in: take.target, .reaper, settings: settings, tempo: tempo)
    let main = try #require(result.main)
    return (
      try OutsideReader.python(OutsideReader.reaper, take.path("\(name)/\(main)")), try take.exported(name), result
    )
  }

  @Test func aReaperProjectHasTracksPlacesLevelsAndNames() throws {
    let take = try ProjectRehearsal()
    let (project, folder, result) = try reaper(take, Self.settings, tempo: Self.tempo)
    #expect(project.name == "REAPER_PROJECT")
    #expect(project.words("SAMPLERATE").first == "48000")
    #expect(abs(try #require(project.number("MASTER_VOLUME")) - pow(10, -2 / 20)) < 1e-9)
    let tracks = project.blocks("TRACK")
    // The first has all three kinds of quotation marks: its backticks are apostrophes now.
    #expect(
      tracks.map { $0.words("NAME").first } == [
        #"Ada "A" O'Neil 'x' (bass line "x")"#, ProjectRehearsal.names[1],
        #"\#(ProjectRehearsal.names[2]) (bass line "x")"#,
      ])
    let volumes = tracks.compactMap { $0.number("VOLPAN") }
    #expect(volumes.count == 3)
    #expect(zip(volumes, [-9.0, 0, -3]).allSatisfy { abs($0 - pow(10, $1 / 20)) < 1e-9 })
    #expect(tracks.map { $0.number("VOLPAN", 1) } == [0.5, 0, 0])
    #expect(tracks.map { $0.words("MUTESOLO").prefix(2) } == [["0", "0"], ["1", "0"], ["0", "2"]])
    // The project begins where the earliest track does: 240 samples before the take's zero.
    #expect(result.start == SamplePosition(-240))
    let items = tracks.map { $0.blocks("ITEM")[0] }
    #expect(items.map { frames($0.number("POSITION")) } == [720, 240, 0])
    #expect(items.map { frames($0.number("SOFFS")) } == [0, 0, 0])
    #expect(items.map { frames($0.number("LENGTH")) } == [96_000, 96_000, 96_000])
    for (item, samples) in zip(items, take.tracks) {
      let source = item.blocks("SOURCE")[0]
      #expect(source.arguments == ["FLAC"])
      let file = try #require(source.words("FILE").first)
      #expect(!file.contains("/"))
      #expect(try ProjectRehearsal.samples(file, in: folder) == samples)
    }
    let markers = project.lines.filter { $0.first == "MARKER" }
    #expect(markers.map { frames(Double($0[2])) } == [24_240, 48_240, 96_240])
    #expect(markers.map { $0[3] } == ["<solo> &   🎺", "Chorus \"2\" 'b' 'c' next", "end"])
    let identifiers = tracks.flatMap { [$0.arguments[0], $0.blocks[0].words("IGUID")[0]] }
    #expect(Set(identifiers).count == 6)
    #expect(try folder.names().allSatisfy { !$0.hasSuffix(".part") })
    #expect(result.omissions.isEmpty)
  }

  @Test func aReaperProjectHasTheTempoMap() throws {
    let take = try ProjectRehearsal()
    let (project, _, _) = try reaper(take, tempo: Self.tempo)
    #expect(project.words("TEMPO") == ["120", "4", "4", "0"])
    let points = project.blocks("TEMPOENVEX")[0].lines.filter { $0.first == "PT" }
    // Six eighths at 180 are 90 quarters a minute; the bar before that change is not full.
    #expect(
      points == [
        ["PT", "0", "120", "1", "262148", "0", "1"], ["PT", "1", "90", "1"],
        ["PT", "1.666666666667", "90", "1", "524294", "0", "5"],
      ])
  }

  @Test func withoutATempoNoneIsSaid() throws {
    let (project, _, _) = try reaper(try ProjectRehearsal())
    #expect(project.words("TEMPO").isEmpty)
    #expect(project.blocks("TEMPOENVEX").isEmpty)
  }

  @Test func aRangeIsCutOutAndKeepsItsBars() throws {
    let take = try ProjectRehearsal()
    var settings = Self.settings
    settings.range = SamplePosition(36_000)..<SamplePosition(90_000)
    let (project, _, result) = try reaper(take, settings, tempo: Self.tempo)
    #expect(result.length == SamplePosition(54_000))
    let items = project.blocks("TRACK").map { $0.blocks("ITEM")[0] }
    #expect(items.map { frames($0.number("SOFFS")) } == [35_520, 36_000, 36_240])
    #expect(items.map { frames($0.number("LENGTH")) } == [54_000, 54_000, 54_000])
    #expect(project.lines.filter { $0.first == "MARKER" }.map { frames(Double($0[2])) } == [12_000])
    let points = project.blocks("TEMPOENVEX")[0].lines.filter { $0.first == "PT" }
    #expect(points.map { frames(Double($0[1])) } == [0, 12_000, 44_000])
  }

  @Test func anExchangeFileIsAsItsSchemaWants() throws {
    let take = try ProjectRehearsal()
    let name = take.export.outputName(.dawproject, isArchive: true)
    let result = try take.export.writeArchive(
      name, in: take.target, .dawproject, settings: Self.settings, tempo: Self.tempo)
    #expect(result.main == name)
    #expect(try take.target.names() == [name])
    let exchange: OutsideReader.Exchange = try OutsideReader.python(OutsideReader.dawproject, take.path(name))
    #expect(exchange.title == "Ain't \"<No>\" & `Blue`, take 3")
    #expect(exchange.tracks.map(\.role) == ["regular", "regular", "regular", "master"])
    #expect(exchange.tracks[1].name == ProjectRehearsal.names[1])
    #expect(exchange.tracks.map(\.pan) == [0.75, 0.5, 0.5, 0.5])
    #expect(exchange.tracks.map(\.mute) == [false, true, false, false])
    #expect(exchange.tracks.map(\.solo) == [false, false, true, false])
    #expect(zip(exchange.tracks, [-9.0, 0, -3, -2]).allSatisfy { abs($0.volume - pow(10, $1 / 20)) < 1e-9 })
    let clips = exchange.tracks.flatMap(\.clips)
    #expect(clips.map { frames($0.time) } == [720, 240, 0])
    #expect(clips.map { frames($0.duration) } == [96_000, 96_000, 96_000])
    #expect(clips.map(\.channels) == ProjectRehearsal.channels)
    #expect(exchange.markers.map { $0[1] } == ["<solo> &   🎺", "Chorus \"2\" 'b' `c` next", "end"])
    #expect(exchange.tempo == 120)
    // A lead-in of 240 samples is a hundredth of a quarter.
    #expect(exchange.tempos.count == 4 && exchange.metres.count == 3)
    #expect(exchange.files.prefix(2) == ["metadata.xml", "project.xml"])
    _ = try OutsideReader.run("python3", ["-m", "zipfile", "-e", take.path(name), take.path("unpacked")])
    let audio = try take.exported("unpacked/audio")
    for (clip, samples) in zip(clips, take.tracks) {
      let file = String(clip.path.dropFirst("audio/".count))
      #expect(try ProjectRehearsal.samples(file, in: audio) == samples)
    }
  }

  @Test func audacityGetsFilesAtTheirTimesAndLabels() throws {
    let take = try ProjectRehearsal()
    let result = try take.export.writeFolder(
      "out", in: take.target, .audacity, settings: Self.settings, tempo: Self.tempo)
    let folder = try take.exported("out")
    let list = String(decoding: try folder.read(try #require(result.main)), as: UTF8.self)
    let lines = list.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.first == "window offset 0 duration 2.015")
    #expect(
      lines.dropFirst().map { $0.split(separator: "\"")[2...].joined() } == [" offset 0.015", " offset 0.005", ""])
    let labels = String(decoding: try folder.read("labels.txt"), as: UTF8.self)
    #expect(
      labels == "0.505000\t0.505000\t<solo> &   🎺\n1.005000\t1.005000\tChorus \"2\" 'b' `c` next\n"
        + "2.005000\t2.005000\tend\n")
    #expect(result.omissions == ["the gains", "the places between left and right", "mute and solo", "the tempo"])
  }

  @Test func whatAListOfFilesCannotCutIsCutInTheFile() throws {
    let take = try ProjectRehearsal()
    let settings = MixSettings(range: SamplePosition(1_000)..<SamplePosition(5_000))
    let result = try take.export.writeFolder("out", in: take.target, .audacity, settings: settings)
    let folder = try take.exported("out")
    try #require(result.files.count >= take.tracks.count)
    for (file, (samples, channels)) in zip(result.files, zip(take.tracks, ProjectRehearsal.channels)) {
      #expect(
        try ProjectRehearsal.samples(file.name, in: folder)
          == Array(samples[1_000 * channels..<5_000 * channels]))
    }
  }

  @Test(arguments: ProjectFormat.allCases, [false, true])
  func nothingIsLeftOfAnExportThatIsStopped(format: ProjectFormat, isArchive: Bool) throws {
    let take = try ProjectRehearsal()
    for limit in [0, 1] {
      var calls = 0
      let progress = { (_: Double) in
        calls += 1
        if calls > limit { throw CancellationError() }
      }
      #expect(throws: CancellationError.self) {
        if isArchive {
          try take.export.writeArchive("x", in: take.target, format, progress: progress)
        } else {
          try take.export.writeFolder("x", in: take.target, format, progress: progress)
        }
      }
      #expect(try take.target.names().isEmpty)
    }
  }

  @Test(arguments: ProjectFormat.allCases) func whatIsThereIsNotTouched(format: ProjectFormat) throws {
    let take = try ProjectRehearsal()
    try take.target.write([1], as: "x")
    #expect(throws: FileProblem.self) { try take.export.writeFolder("x", in: take.target, format) }
    #expect(throws: FileProblem.self) { try take.export.writeArchive("x", in: take.target, format) }
    #expect(try take.target.names() == ["x"])
    #expect(try take.target.read("x") == [1])
  }

  @Test(arguments: ProjectFormat.allCases) func equalExportsAreEqualBytesAndProgressOnlyGrows(
    format: ProjectFormat
  ) throws {
    let take = try ProjectRehearsal()
    var told: [Double] = []
    _ = try take.export.writeArchive("a.zip", in: take.target, format, tempo: Self.tempo) { told.append($0) }
    _ = try take.export.writeArchive("b.zip", in: take.target, format, tempo: Self.tempo)
    #expect(try take.target.read("a.zip") == take.target.read("b.zip"))
    #expect(told == told.sorted() && told.last == 1)
    let entries: [OutsideReader.ZIPEntry] = try OutsideReader.python(OutsideReader.zip, take.path("a.zip"))
    #expect(entries.count >= 4)
    #expect(format == .dawproject || entries.allSatisfy { $0.name.hasPrefix(take.export.name + "/") })
  }

  @Test func theWholeTakeAsAnArchive() throws {
    let take = try ProjectRehearsal()
    let archive = try ZIPArchive(ofTake: take.folder, manifest: take.manifest)
    _ = try archive.write("take.zip", in: take.target)
    let entries: [OutsideReader.ZIPEntry] = try OutsideReader.python(OutsideReader.zip, take.path("take.zip"))
    let root = ZIPArchive.folderName(of: take.manifest.take)
    #expect(
      entries.map(\.name) == ["manifest.json", "cues.txt", "mix.flac"].map { "\(root)/\($0)" }
        + take.manifest.tracks.compactMap(\.file).map { "\(root)/\($0)" })
    #expect(entries[1].text.contains("\tChorus \"2\" 'b' `c` next\n"))
  }

  @Test func settingsAndTakesThatCannotBeAreRefused() throws {
    var take = try ProjectRehearsal()
    #expect(throws: MixSettingsProblem.self) {
      try take.export.writeFolder("x", in: take.target, .reaper, settings: MixSettings(channels: [9: .init()]))
    }
    // A track that is not the one that was recorded goes into no project.
    let file = try #require(take.manifest.tracks[1].file)
    let shorter = try take.folder.read(file).dropLast(1_000)
    try take.folder.write(Array(shorter), as: file)
    #expect(throws: ExportProblem.self) { try take.export.writeFolder("x", in: take.target, .reaper) }
    try take.folder.remove(file)
    #expect(throws: FileProblem.self) { try take.export.writeFolder("x", in: take.target, .reaper) }
    take.manifest.tracks = []
    #expect(throws: ExportProblem.self) { try take.export.writeFolder("x", in: take.target, .reaper) }
    #expect(try take.target.names().isEmpty)
  }

  /// The frame that a time in seconds is.
  private func frames(_ seconds: Double?) -> Int64? {
    seconds.map { Int64(($0 * 48_000).rounded()) }
  }
}
