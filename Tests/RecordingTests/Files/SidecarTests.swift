import Music
import Testing

@testable import Recording

/// Files beside the takes that a hand has written, with numbers that nothing can be calculated with.
@Suite struct SidecarTests {
  private let highest = Int.max

  /// What reading says of a file with this text.
  private func complaint<File: Sidecar>(_ type: File.Type, _ text: String) throws -> String {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    try folder.write(Array(text.utf8), as: "file.json")
    let problem = #expect(throws: FileProblem.self) { try File.read("file.json", in: folder) }
    return problem?.description ?? ""
  }

  private let take = TakeID(ULID(high: 1, low: 1)).description
  private let other = TrackID(ULID(high: 1, low: 2)).description

  @Test func editsOfATake() throws {
    func edits(_ members: String) throws -> String {
      try complaint(
        TakeEdits.self,
        "{\"version\":1,\"take\":\"\(take)\",\"cues\":[],\"removedCues\":[],\(members)}")
    }
    #expect(try edits("\"revision\":\(highest),\"annotations\":{}").contains("revision is \(highest); permitted: 1 to"))
    #expect(try edits("\"revision\":1,\"annotations\":{\"rating\":\(highest)}").contains("rating is \(highest)"))
    #expect(
      try edits("\"revision\":1,\"annotations\":{},\"move\":{\"number\":\(highest)}").contains("move.number is"))
  }

  @Test func aSongAndAPerson() throws {
    func song(_ members: String) throws -> String {
      try complaint(SongFile.self, "{\"version\":1,\"song\":{\"id\":\"\(take)\",\"title\":\"Blue\",\(members)}}")
    }
    #expect(try song("\"revision\":\(highest)").contains("song.revision is"))
    let change = "\"position\":0,\"beatsPerMinute\":120,\"beatsPerBar\":4,\"beatUnit\":0"
    #expect(try song("\"tempo\":{\"changes\":[{\(change)}]}").contains("tempo.beatUnit is 0"))
    #expect(
      try complaint(PersonFile.self, "{\"version\":1,\"id\":\"\(take)\",\"revision\":0,\"merged\":[]}")
        .contains("revision is 0"))
  }

  @Test func losslessTracks() throws {
    func list(size: Int = 9, start: Int = 0, end: Int = 9, earlier: String = "[]") throws -> String {
      let file = { (role: String) in "{\"name\":\"a-lossless\",\"role\":\"\(role)\",\"size\":\(size)}" }
      let report =
        "{\"offset\":0,\"drift\":0,\"correlation\":1,\"errorBound\":0,\"pieces\":1,\"covered\":9,\"filled\":0}"
      let entry =
        "{\"track\":\"\(other)\",\"backup\":\"\(other)\",\"sampleRate\":48000,\"channels\":1,\"length\":9,"
        + "\"sound\":\(file("track")),\"peaks\":\(file("peaks")),\"report\":\(report),\"earlier\":\(earlier),"
        + "\"mapping\":{\"stretches\":[{\"start\":\(start),\"end\":\(end),\"knots\":[]}]}}"
      return try complaint(LosslessTracks.self, "{\"version\":1,\"take\":\"\(take)\",\"tracks\":[\(entry)]}")
    }
    #expect(try list(size: highest).contains("size of a-lossless is"))
    #expect(try list(start: .min, end: highest).contains("mapping of a-lossless is sample \(Int.min)"))
    #expect(try list(earlier: "[[0,\(highest)]]").contains("mapping of a-lossless is sample \(highest)"))
  }

  @Test func whatCouldNotBeReadAgainIsNotWritten() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    var edits = TakeEdits(take: JournalSamples.id(1))
    try edits.write(TakeEdits.fileName, in: folder)
    edits.annotations.notes = String(repeating: "x", count: TakeEdits.sizeLimit)
    #expect { try edits.write(TakeEdits.fileName, in: folder) } throws: {
      let problem = $0 as? FileProblem
      return problem?.isTooLarge == true && problem?.description.contains(TakeEdits.fileName) == true
    }
    let read = try #require(try TakeEdits.read(TakeEdits.fileName, in: folder))
    #expect(read.annotations.isEmpty)
  }

  /// Those are listed as refused, so that people learn of them.
  @Test func abackupIsReadWhateverItSays() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    var backup = Backup(
      id: JournalSamples.id(1), take: JournalSamples.id(2), participant: JournalSamples.id(3), sampleRate: .max,
      channels: .max, startedAt: WallTime(nanoseconds: .min), createdAt: WallTime(nanoseconds: .max))
    backup.bytes = .min
    try BackupFile(backup).write(in: folder)
    let read = try #require(try BackupFile.read(BackupFile.name(of: backup.id), in: folder))
    #expect(read.backup.sampleRate == .max && read.backup.bytes == .min)
    #expect(throws: ValueProblem.self) { try read.backup.check() }
  }
}
