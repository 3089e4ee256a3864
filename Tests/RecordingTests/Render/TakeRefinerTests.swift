import Glibc
import Music
import TestSupport
import Testing

@testable import Recording

/// The second look at a finished take's journal.
@Suite struct TakeRefinerTests {
  /// A folder of its own, removed afterwards.
  private func withRoot(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/jamjar-refine-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      if let folders = try? TakeFolder.journals(under: root) {
        for folder in folders { try? TakeFolder.delete(folder, in: root) }
      }
      rmdir(root)
    }
    try body(root)
  }

  private func player(_ name: String, _ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer(name)
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.signal.tempo = 8
    player.end = 30
    player.link.jitter = .uniform(0.004)
    change(&player)
    return player
  }

  /// A take as the service leaves it: ada's path held her packets for longer than the first render waits.
  private func heldTake() throws -> VirtualTake {
    try VirtualTake([player("ada") { $0.events = [.held(at: 6, length: 16)] }, player("bob")], length: 30)
  }

  private func finished(_ virtual: VirtualTake, in root: String) throws -> (TakeFolder, RenderedTake) {
    let folder = try TakeFolder.create(for: virtual.take, in: root)
    try JournalFile(creatingIn: folder).append(virtual.journal)
    var take = virtual.take
    take.folder = folder.path
    return (folder, try TakeRenderer(folder: folder, take: take).finish())
  }

  private func refine(_ folder: TakeFolder, _ root: String) throws -> RenderedTake {
    let refiner = try TakeRefiner(folder: folder, root: root)
    return try refiner.replace(by: try refiner.examine(options: RenderOptions()), options: RenderOptions())
  }

  @Test func whatCameTooLateForTheFirstRenderIsInTheFileAfterTheSecond() throws {
    try withRoot { root in
      let (folder, first) = try finished(try heldTake(), in: root)
      #expect(!first.tracks[0].gaps.isEmpty)
      let refinement = try TakeRefiner(folder: folder, root: root).examine(options: RenderOptions())
      #expect(refinement.isWorthwhile && refinement.packets > 100 && refinement.droppedPackets == 0, "\(refinement)")
      let second = try refine(folder, root)
      #expect(second.tracks.allSatisfy { $0.gaps.isEmpty }, "\(second.tracks.map(\.gaps))")
      #expect(second.tracks.map(\.id) == first.tracks.map(\.id))
      #expect(second.take.length == first.take.length && second.take.state == .ready)
      #expect(second.manifest.refinement == refinement)
      #expect(try Manifest(of: folder) == second.manifest)
      // Nothing is left where it was made, and every file is the one that the manifest names.
      #expect(TakeRefiner.interrupted(in: root).isEmpty)
      for file in second.manifest.files where file.role != .journal {
        #expect(try folder.size(of: file.name) == file.size)
        let former = first.manifest.files.first { $0.name == file.name }
        #expect(former?.digest != file.digest || file.name.hasPrefix("02"), "\(file.name)")
      }
      #expect(try TakeFolder.journals(under: root) == [folder.path])
    }
  }

  @Test func aTakeThatIsRightIsLeftAlone() throws {
    try withRoot { root in
      let virtual = try VirtualTake([player("ada"), player("bob") { $0.start = 6 }], length: 30)
      let (folder, first) = try finished(virtual, in: root)
      let refinement = try TakeRefiner(folder: folder, root: root).examine(options: RenderOptions())
      #expect(refinement.packets == 0 && refinement.droppedPackets == 0)
      #expect(first.tracks.allSatisfy { $0.gaps.isEmpty })
      #expect(!refinement.isWorthwhile || refinement.greatestMove >= 0.25, "\(refinement)")
    }
  }

  private struct Interrupted: Error {}

  @Test func anInterruptionLeavesTheTakeAsItWas() throws {
    try withRoot { root in
      let (folder, first) = try finished(try heldTake(), in: root)
      let refiner = try TakeRefiner(folder: folder, root: root)
      let refinement = try refiner.examine(options: RenderOptions())
      for limit in [1, 1_000, 2_500] {
        var steps = 0
        #expect(throws: Interrupted.self) {
          try refiner.replace(by: refinement, options: RenderOptions()) {
            steps += 1
            if steps > limit { throw Interrupted() }
          }
        }
        #expect(try Manifest(of: folder) == first.manifest)
        #expect(TakeRefiner.interrupted(in: root).isEmpty)
      }
    }
  }

  /// Killed when the new files were made, and one of them was in its place already.
  @Test func whatWasMadeIsPutInPlaceByTheNextStart() throws {
    try withRoot { root in
      let (folder, first) = try finished(try heldTake(), in: root)
      let place = try TakeFolder.obtain("\(TakeRefiner.workplace)/\(first.take.id)", in: root)
      let made = try TakeRenderer(
        folder: folder, take: first.take, options: RenderOptions().withHindsight, output: place
      ).finish()
      try folder.adopt("mix.flac", from: place)
      #expect(TakeRefiner.interrupted(in: root) == [first.take.id])
      let resumed = try #require(try TakeRefiner.resume(first.take.id, in: folder, root: root))
      #expect(resumed.tracks == made.tracks && resumed.tracks.allSatisfy { $0.gaps.isEmpty })
      #expect(try Manifest(of: folder) == resumed)
      for file in resumed.files { #expect(try folder.size(of: file.name) == file.size) }
      #expect(TakeRefiner.interrupted(in: root).isEmpty)
    }
  }

  /// Killed before: what was half made goes away.
  @Test func whatIsHalfMadeIsRemovedByTheNextStart() throws {
    try withRoot { root in
      let (folder, first) = try finished(try heldTake(), in: root)
      let place = try TakeFolder.obtain("\(TakeRefiner.workplace)/\(first.take.id)", in: root)
      try place.write([1], as: "01-ada-guitar.flac")
      #expect(try TakeRefiner.resume(first.take.id, in: folder, root: root) == nil)
      #expect(try Manifest(of: folder) == first.manifest)
      #expect(TakeRefiner.interrupted(in: root).isEmpty)
    }
  }
}
