import Catalog
import Foundation
import Logging
import Machines
import Music
import Recording
import Signaling
import TestSupport
import Testing

@testable import Rooms

/// The second look at a take that a stop or a kill cut off.
@Suite(.timeLimit(.minutes(2))) struct SecondLookTests {
  /// The journal of a take in a data folder of its own. Ada's path held her packets for longer than the render waits, so
  /// that only a second look finds them.
  private func left() throws -> (folder: String, take: Take) {
    var ada = VirtualPlayer("ada")
    ada.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    ada.signal.isStereo = false
    ada.end = 30
    ada.events = [.held(at: 6, length: 16)]
    var bob = ada
    bob.name = "bob"
    bob.events = []
    let virtual = try VirtualTake([ada, bob], length: 30)
    let name = "jamjar-look-\(UInt64.random(in: 0 ... .max))"
    let root = FileManager.default.temporaryDirectory.appending(path: name).path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    let folder = try TakeFolder.create(for: virtual.take, in: root)
    try JournalFile(creatingIn: folder).append(virtual.journal)
    var take = virtual.take
    take.folder = folder.path
    return (root, take)
  }

  private func notes(in root: String) throws -> [String] {
    try TakeFolder(existing: "_second-looks", in: root).names()
  }

  @Test func thatAStopCutOffIsMadeByTheNextStart() async throws {
    let (root, take) = try left()
    let index = try SQLiteCatalog.open(at: root + "/jamjar.sqlite", now: MonotonicClock.wall)
    let former = try Broker(
      configuration: RoomsConfiguration(recordings: root, software: "jamjar test"), index: index,
      logger: Logger(label: "rooms-test") { _ in SwiftLogNoOpLogHandler() })
    // The stop comes when the take is ready, and before its second look.
    former.refinements.stop()
    let running = Task { try await former.run() }
    try await eventually("the take is complete") {
      try await index.take(take.id).map { [.ready, .incomplete].contains($0.state) } ?? false
    }
    await former.drain()
    running.cancel()
    try index.close()
    let folder = try TakeFolder(existing: take.folder, in: root)
    #expect(try Manifest(of: folder).refinement == nil)
    #expect(try Manifest(of: folder).tracks.contains { !$0.gaps.isEmpty })
    #expect(try notes(in: root) == ["\(take.id)"])

    // Another note is of a take that has been deleted since.
    try TakeFolder(existing: "_second-looks", in: root).createEmpty("\(TakeID(at: MonotonicClock.wall))")
    let next = try await LiveService(folder: root)
    await next.hears(.takeRefined, of: take.id)
    let manifest = try Manifest(of: folder)
    #expect(try #require(manifest.refinement).packets > 100)
    #expect(manifest.tracks.allSatisfy { $0.gaps.isEmpty })
    #expect(try await next.index.tracks(of: take.id).allSatisfy { $0.gaps.isEmpty })
    try await eventually("no look is owed") { try notes(in: root).isEmpty }
    await next.end()
  }
}
