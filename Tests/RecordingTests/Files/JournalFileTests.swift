import Glibc
import Music
import Testing

@testable import Recording

struct JournalFileTests {
  private func folder(_ scratch: ScratchFolder) throws -> TakeFolder {
    try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
  }

  @Test func whatIsAppendedIsThere() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let file = try JournalFile(creatingIn: folder)
    try file.append([1, 2, 3])
    try file.append([])
    try file.append([4])
    try file.sync()
    #expect(file.size == 4)
    #expect(try file.read(at: 1, count: 100) == [2, 3, 4])
    #expect(try folder.read(TakeFolder.journalName) == [1, 2, 3, 4])
    let again = try JournalFile(openingIn: folder)
    try again.append([5])
    #expect(try file.read(at: 4, count: 1) == [5])
  }

  @Test func aJournalIsNeverMadeTwice() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    _ = try JournalFile(creatingIn: folder)
    let problem = #expect(throws: FileProblem.self) { try JournalFile(creatingIn: folder) }
    #expect(problem?.code == EEXIST)
  }

  @Test func isCutButNeverLengthened() throws {
    let scratch = try ScratchFolder()
    let file = try JournalFile(creatingIn: try folder(scratch))
    try file.append([1, 2, 3])
    try file.truncate(to: 100)
    #expect(file.size == 3)
    try file.truncate(to: 1)
    try file.append([9])
    #expect(try file.read(at: 0, count: 10) == [1, 9])
    try file.truncate(to: -1)
    #expect(file.size == 0)
  }

  @Test func aReserveTakesSpaceAndNoLengthAndIsGivenBack() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let file = try JournalFile(creatingIn: folder)
    try file.append([1])
    try file.reserve(1 << 20)
    var status = stat()
    #expect(stat("\(scratch.path)/\(folder.path)/take.journal", &status) == 0)
    #expect(status.st_size == 1)
    #expect(Int(status.st_blocks) * 512 >= 1 << 20)
    try file.releaseReserve()
    #expect(stat("\(scratch.path)/\(folder.path)/take.journal", &status) == 0)
    #expect(Int(status.st_blocks) * 512 < 1 << 20)
    #expect(try file.read(at: 0, count: 2) == [1])
  }

  @Test func anAppendToAReadOnlyJournalIsAProblem() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    _ = try JournalFile(creatingIn: folder)
    let reader = try JournalFile(openingIn: folder, forReadingOnly: true)
    let problem = #expect(throws: FileProblem.self) { try reader.append([1]) }
    #expect(problem?.code == EBADF)
    #expect(reader.size == 0)
  }

  /// Needs the right to mount; where there is none the simulated disk still covers the case.
  @Test(.enabled(if: SmallDisk.isPossible)) func aFullDiskLeavesTheJournalWholeAndItGoesOnWhenThereIsRoom() throws {
    let disk = try SmallDisk()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: disk.path)
    let file = try JournalFile(creatingIn: folder)
    let block = [UInt8](repeating: 7, count: 300_000)
    try file.append(block)
    try file.append(block)
    try folder.write([UInt8](repeating: 1, count: 200_000), as: "render")
    let before = file.size
    let problem = #expect(throws: FileProblem.self) { try file.append(block) }
    #expect(problem?.isDiskFull == true)
    #expect(file.size == before)
    #expect(try folder.size(of: TakeFolder.journalName) == before)
    #expect(throws: FileProblem.self) { try file.reserve(1 << 20) }
    try folder.remove("render")
    try file.append(block)
    #expect(try folder.size(of: TakeFolder.journalName) == before + 300_000)
  }

  @Test(.enabled(if: SmallDisk.isPossible)) func theReserveOutlastsAFullDisk() throws {
    let disk = try SmallDisk()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: disk.path)
    let file = try JournalFile(creatingIn: folder)
    try file.reserve(400_000)
    let writer = try SoundFileWriter("mix.wav", in: folder, format: .wav24, channels: 1)
    let problem = #expect(throws: FileProblem.self) {
      for _ in 0..<100 { try writer.write([Float](repeating: 0.5, count: 4_800)) }
    }
    #expect(problem?.isDiskFull == true)
    try file.append([UInt8](repeating: 7, count: 390_000))
    #expect(throws: FileProblem.self) { try writer.finish() }
    #expect(try folder.names() == [TakeFolder.journalName])
  }
}
