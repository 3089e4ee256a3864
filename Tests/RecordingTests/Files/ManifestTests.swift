import Music
import Testing

@testable import Recording

struct ManifestTests {
  private func manifest() throws -> Manifest {
    var take = try JournalSamples.take()
    take.state = .ready
    take.length = SamplePosition(480_000)
    take.endedAt = WallTime(milliseconds: 1_795_230_610_000)
    take.trackCount = 1
    let track = Track(
      id: JournalSamples.id(10), take: take.id, number: 1,
      participant: Participant(id: JournalSamples.id(11), name: try JournalSamples.name("Zoë 🎷")), part: "sax",
      length: SamplePosition(480_000), file: "01-Zoe-sax.flac", peak: -3.25, loudness: -19.5,
      gaps: [Gap(start: SamplePosition(9), length: SamplePosition(960), cause: .loss, isConcealed: true)],
      alignment: AlignmentReport(
        drift: 12.5, offset: 0.25, errorBound: 0.5, expectedPackets: 500, recoveredPackets: 3, lostPackets: 1,
        concealedSamples: 960, basis: "sender reports",
        stretches: [
          BoundedStretch(start: .zero, end: SamplePosition(48_000), errorBound: 0.5, basis: "sender reports"),
          BoundedStretch(
            start: SamplePosition(48_000), end: SamplePosition(480_000), errorBound: nil,
            unknownBecause: "no round trip was measured", basis: "arrival times"),
        ], unseenDrops: [SampleSpan(start: SamplePosition(470_000), end: SamplePosition(480_000))],
        talks: [SampleSpan(start: SamplePosition(96_000), end: SamplePosition(144_000))]))
    var manifest = Manifest(
      software: "jamjar 1.0.0", take: take,
      session: Session(id: take.session, room: take.room, startedAt: take.startedAt), tracks: [track],
      cues: [Cue(id: JournalSamples.id(20), position: SamplePosition(48_000), text: "a/b \"c\"")],
      files: [
        Manifest.File(
          name: "01-Zoe-sax.flac", role: .track, track: track.id, size: 12_345, digest: FileDigest(value: "ab"),
          format: .flac24),
        Manifest.File(name: "take.journal", role: .journal, size: 99),
      ], mixLoudness: -16, mixPeak: -1, notes: ["recovered after a crash"])
    manifest.backings = [
      BackedStretch(
        backing: JournalSamples.id(30), title: "drums", start: .zero, from: SamplePosition(960),
        length: SamplePosition(240_000))
    ]
    return manifest
  }

  @Test func isReadAsItWasWritten() throws {
    let scratch = try ScratchFolder()
    let manifest = try manifest()
    let folder = try TakeFolder.create(for: manifest.take, in: scratch.path)
    try manifest.write(in: folder)
    #expect(try Manifest(of: folder) == manifest)
    #expect(try folder.names() == ["manifest.json"])
  }

  /// What earlier releases wrote has no stretches; what they read must have a number for every bound.
  @Test func earlierReleasesAndThisOneReadEachOther() throws {
    var made = try manifest()
    made.tracks[0].alignment?.errorBound = nil
    made.tracks[0].alignment?.unknownBecause = "no round trip was measured"
    let text = String(decoding: try made.encoded(), as: UTF8.self)
    #expect(text.contains("\"errorBound\" : \"inf\""))
    #expect(try Manifest(decoding: Array(text.utf8), path: "manifest.json") == made)
    made.tracks[0].alignment?.stretches = []
    made.tracks[0].alignment?.unknownBecause = nil
    made.tracks[0].alignment?.errorBound = 7.5
    let plain = String(decoding: try made.encoded(), as: UTF8.self)
    #expect(!plain.contains("stretches") && !plain.contains("unknownBecause"))
    #expect(try Manifest(decoding: Array(plain.utf8), path: "manifest.json") == made)
  }

  @Test func equalManifestsAreEqualBytesInSortedOrder() throws {
    let bytes = try manifest().encoded()
    #expect(bytes == (try manifest().encoded()))
    let text = String(decoding: bytes, as: UTF8.self)
    let keys = text.split(separator: "\n").filter { $0.hasPrefix("  \"") }
    #expect(keys == keys.sorted())
    #expect(text.contains("\"version\" : 1"))
    #expect(text.hasSuffix("}\n"))
  }

  @Test func knowsASessionsBeginningFromItsIdentifier() throws {
    let manifest = Manifest(software: "", take: try JournalSamples.take(), tracks: [])
    #expect(manifest.session.startedAt == WallTime(milliseconds: 1_795_230_000_000))
  }

  @Test func knowsWhereItWasFoundThoughTheFolderWasMoved() throws {
    let scratch = try ScratchFolder()
    let manifest = try manifest()
    var moved = manifest.take
    moved.folder = "Elsewhere/x/y"
    let folder = try TakeFolder.create(for: moved, in: scratch.path)
    try manifest.write(in: folder)
    #expect(try Manifest(of: folder).take.folder == "Elsewhere/x/y")
  }

  @Test func saysWhatIsWrongWithOneThatCannotBeRead() throws {
    func complaint(_ text: String) -> String? {
      let problem = #expect(throws: FileProblem.self) {
        try Manifest(decoding: Array(text.utf8), path: "manifest.json")
      }
      return problem?.detail
    }
    #expect(complaint("{\"version\": 2}") == "it has version 2, this release reads up to 1")
    #expect(complaint("{}") == "\"version\" is missing at the top")
    #expect(complaint("{\"version\": 1, \"software\": \"x\"}")?.contains("is missing") == true)
    #expect(complaint("") != nil)
    let good = String(decoding: try manifest().encoded(), as: UTF8.self)
    #expect(complaint(String(good.dropLast(40))) != nil)
    let wrong = good.replacing("\"loss\"", with: "\"bad luck\"")
    #expect(complaint(wrong)?.contains("tracks.Index 0.gaps.Index 0.cause") == true)
  }

  /// Numbers that nothing can be calculated with, in place of those of the manifest above.
  @Test(arguments: [
    ("\"number\" : 3,", "\"number\" : 9223372036854775807,", "take.number"),
    ("\"number\" : 3,", "\"number\" : 0,", "take.number"),
    ("\"number\" : 1,", "\"number\" : -1,", "track.number"),
    ("\"channels\" : 2,", "\"channels\" : 9223372036854775807,", "track.channels"),
    ("\"channels\" : 2,", "\"channels\" : 0,", "track.channels"),
    ("\"size\" : 99", "\"size\" : 9223372036854775807", "size of take.journal"),
    ("\"size\" : 99", "\"size\" : -1", "size of take.journal"),
    ("\"length\" : 960,", "\"length\" : -960,", "track.gaps.length"),
    ("\"start\" : 9\n", "\"start\" : 9223372036854775807\n", "start"),
    ("\"length\" : 480000,", "\"length\" : 9223372036854775807,", "length"),
    ("\"position\" : 48000", "\"position\" : -9223372036854775808", "position"),
  ])
  func saysWhichNumberCannotBe(good: String, wrong: String, field: String) throws {
    let text = String(decoding: try manifest().encoded(), as: UTF8.self)
    #expect(text.contains(good), "\(text)")
    let problem = #expect(throws: FileProblem.self) {
      try Manifest(decoding: Array(text.replacing(good, with: wrong).utf8), path: "manifest.json")
    }
    #expect(problem?.detail?.contains(field) == true, "\(problem?.description ?? "")")
  }

  @Test func theDiskHasRoom() throws {
    let space = try DiskSpace(at: "/tmp")
    #expect(space.total > 0 && space.available <= space.total)
    #expect((0...1).contains(space.availableFraction))
    #expect(throws: FileProblem.self) { try DiskSpace(at: "/no/such/place") }
    #expect(DiskSpace(available: 0, total: 0).availableFraction == 0)
  }
}
