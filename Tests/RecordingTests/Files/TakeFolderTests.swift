import Glibc
import Music
import Testing

@testable import Recording

struct TakeFolderTests {
  @Test func makesTheFolderWhereTheTakeSays() throws {
    let scratch = try ScratchFolder()
    let take = try JournalSamples.take()
    let folder = try TakeFolder.create(for: take, in: scratch.path)
    #expect(folder.path == take.folder)
    let again = try TakeFolder(existing: take.folder, in: scratch.path)
    try folder.write([1, 2, 3], as: "note")
    #expect(try again.read("note") == [1, 2, 3])
    #expect(try again.size(of: "note") == 3)
    #expect(try folder.names() == ["note"])
  }

  @Test func takesAnotherNameWhereTheFolderIsInUse() throws {
    let scratch = try ScratchFolder()
    let take = try JournalSamples.take()
    let first = try TakeFolder.create(for: take, in: scratch.path)
    // An empty folder is one that a crash left: it is used.
    #expect(try TakeFolder.create(for: take, in: scratch.path).path == first.path)
    try first.write([1], as: "something")
    #expect(try TakeFolder.create(for: take, in: scratch.path).path == take.folder + "-2")
  }

  @Test(arguments: ["", "/", "../x", "a/../b", "a//b", "a/./b", "/etc", "a/b\u{0}", "a/"])
  func refusesPathsThatLeadElsewhere(path: String) throws {
    let scratch = try ScratchFolder()
    var take = try JournalSamples.take()
    take.folder = path
    #expect(throws: FileProblem.self) { try TakeFolder.create(for: take, in: scratch.path) }
    #expect(throws: FileProblem.self) { try TakeFolder(existing: path, in: scratch.path) }
    #expect(throws: FileProblem.self) { try TakeFolder.delete(path, in: scratch.path) }
  }

  @Test(arguments: ["../take.journal", "", ".", "..", "a/b", "x\u{0}.flac", String(repeating: "x", count: 256)])
  func refusesFileNamesThatLeadElsewhere(name: String) throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    #expect(throws: FileProblem.self) { try folder.write([1], as: name) }
    #expect(throws: FileProblem.self) { try folder.read(name) }
    #expect(throws: FileProblem.self) { try folder.remove(name) }
    #expect(!folder.has(name))
  }

  @Test func followsNoLinkThatSomebodyPlanted() throws {
    let scratch = try ScratchFolder()
    let elsewhere = try ScratchFolder()
    let take = try JournalSamples.take()
    // The room's folder is a link to another place.
    #expect(symlink(elsewhere.path, scratch.path + "/Studio") == 0)
    #expect(throws: FileProblem.self) { try TakeFolder.create(for: take, in: scratch.path) }
    #expect(throws: FileProblem.self) { try TakeFolder(existing: take.folder, in: scratch.path) }
    unlink(scratch.path + "/Studio")

    // The take's folder is one: the take goes beside it.
    let folder = try TakeFolder.create(for: take, in: scratch.path)
    rmdir("\(scratch.path)/\(take.folder)")
    #expect(symlink(elsewhere.path, "\(scratch.path)/\(take.folder)") == 0)
    let second = try TakeFolder.create(for: take, in: scratch.path)
    #expect(second.path == take.folder + "-2")
    _ = folder

    // A file is one: neither read nor written through.
    try second.write([9], as: "target")
    #expect(symlink("target", "\(scratch.path)/\(second.path)/\(TakeFolder.journalName)") == 0)
    #expect(throws: FileProblem.self) { try JournalFile(openingIn: second) }
    #expect(throws: FileProblem.self) { try JournalFile(creatingIn: second) }
    let part = TakeFolder.partName(TakeFolder.manifestName)
    #expect(symlink("target", "\(scratch.path)/\(second.path)/\(part)") == 0)
    try second.write([1], as: TakeFolder.manifestName)
    #expect(try second.read("target") == [9] && second.read(TakeFolder.manifestName) == [1])
  }

  @Test func aFileIsReplacedAsAWhole() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    try folder.write([1, 2, 3], as: "manifest.json")
    try folder.write([4], as: "manifest.json")
    #expect(try folder.read("manifest.json") == [4])
    #expect(try folder.names() == ["manifest.json"])
    #expect(throws: FileProblem.self) { try folder.read("manifest.json", limit: 0) }
  }

  @Test func removesWhatAnInterruptedRenderLeft() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let remains = [
      "01-a.flac.part", "12-zoë.wav.0a1b2c3d.part", "mix.flac.part", "mix.peaks.dat.0a1b2c3d.part",
      "render-checkpoint.part",
    ]
    // Somebody else is writing these.
    let others = [
      "01-a-lossless.flac.0a1b2c3d.part", "annotations.json.part", "lossless.json.part", "manifest.json.part",
      "our song.flac.0a1b2c3d.part", "parts", "take.journal",
    ]
    for name in remains + others { _ = try folder.create(name) }
    try folder.removeRenderParts(except: ["12-zoë.wav.0a1b2c3d.part"])
    #expect(try folder.names() == (others + ["12-zoë.wav.0a1b2c3d.part"]).sorted())
    try folder.removeParts()
    #expect(try folder.names() == ["parts", "take.journal"])
  }

  @Test func listsEveryTakeThatHasAJournal() throws {
    let scratch = try ScratchFolder()
    var expected: [String] = []
    for number in 1...3 {
      let take = try JournalSamples.take(number: number, room: number == 3 ? "Cellar" : "Studio")
      let folder = try TakeFolder.create(for: take, in: scratch.path)
      if number != 2 {
        _ = try JournalFile(creatingIn: folder)
        expected.append(folder.path)
      } else {
        try folder.write([1], as: TakeFolder.manifestName)
      }
    }
    // Files and links beside the rooms are passed by.
    #expect(symlink("/", scratch.path + "/link") == 0)
    #expect(symlink("/nowhere", scratch.path + "/Studio/broken") == 0)
    #expect(try TakeFolder.journals(under: scratch.path) == expected.sorted())
    #expect(try TakeFolder.manifests(under: scratch.path) == ["Studio/2026-11-21-000002/02-Blue-Train"])
  }

  @Test func deletesATakeAndTheFoldersThatItLeavesEmpty() throws {
    let scratch = try ScratchFolder()
    let first = try TakeFolder.create(for: try JournalSamples.take(number: 1), in: scratch.path)
    let second = try TakeFolder.create(for: try JournalSamples.take(number: 2), in: scratch.path)
    for folder in [first, second] {
      _ = try JournalFile(creatingIn: folder)
      try folder.write([1], as: "mix.flac")
    }
    try TakeFolder.delete(first.path, in: scratch.path)
    #expect(try TakeFolder.journals(under: scratch.path) == [second.path])
    try TakeFolder.delete(first.path, in: scratch.path)
    try TakeFolder.delete(second.path, in: scratch.path)
    #expect(try TakeFolder.names(in: Descriptor.root(scratch.path), path: "").isEmpty)
  }

  /// As by those who list a take's objects or make its segments for listening.
  @Test func whatOthersWriteDuringADeletionGoesToo() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    _ = try JournalFile(creatingIn: folder)
    for number in 1...200 { _ = try folder.create("early-\(number)") }
    let writer = WorkerThread("writer") {
      while folder.has(TakeFolder.journalName) {}
      // Fewer than the attempts, of which each that fails needs one of them.
      for number in 1...50 { _ = try? folder.create("late-\(number)") }
    }
    try TakeFolder.delete(folder.path, in: scratch.path)
    writer.join()
    #expect(try TakeFolder.names(in: Descriptor.root(scratch.path), path: "").isEmpty)
  }

  @Test func saysWhatIsWrongInASentence() throws {
    let scratch = try ScratchFolder()
    let problem = #expect(throws: FileProblem.self) { try TakeFolder(existing: "a/b", in: scratch.path) }
    #expect(problem?.isMissing == true)
    #expect(problem.map(String.init(describing:)) == "cannot open a/b: No such file or directory")
    let full = FileProblem(path: "take.journal", operation: .write, code: ENOSPC)
    #expect(full.isDiskFull)
    #expect(full.description == "cannot write take.journal: No space left on device; make room on the disk")
  }
}
