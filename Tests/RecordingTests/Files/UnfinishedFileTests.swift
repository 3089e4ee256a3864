import Glibc
import Music
import TestSupport
import Testing

@testable import Recording

/// Two writers of one name: each writes a file of its own, and a whole one has the name in the end.
@Suite struct UnfinishedFileTests {
  private let scratch: ScratchFolder
  private let folder: TakeFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
  }

  private func write(_ byte: UInt8, to file: OutputFile) {
    #expect([UInt8](repeating: byte, count: 1_000).withUnsafeBytes { file.write($0) })
  }

  @Test func theLastWholeFileHasTheName() throws {
    let first = try OutputFile("a.dat", in: folder)
    let second = try OutputFile("a.dat", in: folder)
    write(1, to: first)
    write(2, to: second)
    write(1, to: first)
    #expect(try folder.names().count == 2)
    #expect(try folder.names().allSatisfy { $0.hasPrefix("a.dat.") && $0.hasSuffix(TakeFolder.partSuffix) })
    _ = try second.finish()
    _ = try first.finish()
    #expect(try folder.names() == ["a.dat"])
    #expect(try folder.read("a.dat") == [UInt8](repeating: 1, count: 2_000))
  }

  @Test func whereNothingIsReplacedTheFirstWholeFileHasTheName() throws {
    let first = try OutputFile("a.dat", in: folder, replaces: false)
    let second = try OutputFile("a.dat", in: folder, replaces: false)
    write(1, to: first)
    write(2, to: second)
    _ = try second.finish()
    let problem = #expect(throws: FileProblem.self) { _ = try first.finish() }
    #expect(problem?.code == EEXIST)
    first.abandon()
    #expect(try folder.names() == ["a.dat"])
    #expect(try folder.read("a.dat") == [UInt8](repeating: 2, count: 1_000))
  }

  @Test func theLongestNameHasAnUnfinishedFileToo() throws {
    let name = String(repeating: "é", count: 127)
    let file = try OutputFile(name, in: folder)
    #expect(try folder.names().allSatisfy { $0.utf8.count <= 255 && $0.hasSuffix(TakeFolder.partSuffix) })
    write(1, to: file)
    _ = try file.finish()
    #expect(try folder.names() == [name])
  }

  @Test func twoExportsToOneNameAreOneWholeFile() throws {
    let tone = Tone.noise(1, frames: 200_000)
    let studio = try MixStudio([tone], mix: tone)
    for settings in [MixSettings(gain: -1), MixSettings()] {
      var other: ExportedMix?
      let problem = #expect(throws: FileProblem.self) {
        try studio.mixDown.write("x.flac", in: studio.folder, settings: settings, replaces: false) { _ in
          // While the one is on its way, another comes to its end.
          guard other == nil else { return }
          other = try studio.mixDown.write(
            "x.flac", in: studio.folder, settings: MixSettings(gain: -6), replaces: false)
        }
      }
      #expect(problem?.code == EEXIST)
      #expect(try studio.folder.size(of: "x.flac") == other?.file.size)
      #expect(try !studio.folder.names().contains { $0.hasSuffix(TakeFolder.partSuffix) })
      try studio.folder.remove("x.flac")
    }
  }

  @Test(arguments: ProjectFormat.allCases) func aProjectDoesNotReplaceOneThatWasQuicker(format: ProjectFormat) throws {
    let take = try ProjectRehearsal()
    var isFirst = true
    let problem = #expect(throws: FileProblem.self) {
      try take.export.writeFolder("x", in: take.target, format) { _ in
        guard isFirst else { return }
        isFirst = false
        _ = try take.export.writeFolder("x", in: take.target, format)
      }
    }
    #expect(problem?.code == EEXIST)
    #expect(try take.target.names() == ["x"])
  }
}
