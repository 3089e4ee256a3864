import Glibc
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct TakeRendererTests {
  /// A folder of its own, removed afterwards.
  private func withRoot(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/jamjar-render-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      if let folders = try? TakeFolder.journals(under: root) {
        for folder in folders { try? TakeFolder.delete(folder, in: root) }
      }
      rmdir(root)
    }
    try body(root)
  }

  private func rehearsal(_ length: Double = 6) throws -> VirtualTake {
    let players = ["ada", "Bob & co"].map { name in
      var player = VirtualPlayer(name)
      player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
      player.signal.isStereo = false
      player.end = length
      player.link = VirtualLink(delay: 0.02, jitter: .uniform(0.01), loss: 0.05, seed: UInt64(name.count))
      return player
    }
    let cue = JournalFrame.cue(
      at: VirtualTake.time(2.5), CueID(ULID(high: 1, low: 2)), text: "solo", author: nil)
    return try VirtualTake(players, length: length, extra: [cue])
  }

  /// Follows a journal that grows in pieces of any size.
  private func follow(_ virtual: VirtualTake, in folder: TakeFolder) throws -> TakeRenderer {
    let journal = try JournalFile(creatingIn: folder)
    let bytes = virtual.journal
    var random = SeededRandom(6)
    let renderer = try TakeRenderer(folder: folder, take: virtual.take)
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + Int.random(in: 1...20_000, using: &random))
      try journal.append(Array(bytes[offset..<end]))
      offset = end
      try renderer.follow()
    }
    return renderer
  }

  @Test func followsAGrowingJournalAndGivesWhatALaterRenderGives() throws {
    try withRoot { root in
      let virtual = try rehearsal()
      let folder = try TakeFolder.create(for: virtual.take, in: root)
      let renderer = try follow(virtual, in: folder)
      // The window of four seconds is held back until the take has ended.
      #expect(abs(renderer.rendered.seconds - 2) < 0.05)
      let first = try renderer.finish()
      #expect(first.take.state == .ready)
      #expect(first.take.length == SamplePosition(6 * 48_000))
      #expect(first.notes.isEmpty)
      #expect(first.cues.map(\.position.samples) == [120_000])
      #expect(
        try folder.names() == [
          "01-ada-guitar.flac", "01-ada-guitar.peaks.dat", "02-Bob-co-guitar.flac", "02-Bob-co-guitar.peaks.dat",
          "manifest.json", "mix.flac", "mix.peaks.dat", "take.journal",
        ])
      for track in first.tracks {
        let reader = try SoundFileReader(try #require(track.file), in: folder)
        #expect(reader.frameCount == 6 * 48_000)
        #expect(reader.channels == 1)
        #expect(track.peak ?? 0 < 0)
        #expect(track.loudness != nil)
        #expect(track.alignment?.basis == "sender reports")
      }
      #expect(try Manifest(of: folder) == first.manifest)

      let again = try TakeRenderer(folder: folder, take: virtual.take).finish()
      #expect(again.manifest == first.manifest)
      #expect(throws: RenderProblem.finished) { try renderer.follow() }
    }
  }

  @Test func aRenderThatIsNearGivesWhatALaterOneGives() throws {
    try withRoot { root in
      let virtual = try rehearsal(18)
      let folder = try TakeFolder.create(for: virtual.take, in: root)
      let renderer = try follow(virtual, in: folder)
      // Where nothing is missing, a second is held back.
      #expect(renderer.rendered.seconds > 16)
      let first = try renderer.finish()
      let again = try TakeRenderer(folder: folder, take: virtual.take).finish()
      #expect(first.take.length == SamplePosition(18 * 48_000))
      #expect(first.notes.isEmpty)
      // With the digests of all files.
      #expect(again.manifest == first.manifest)
    }
  }

  @Test func aTornJournalIsRenderedAsFarAsItGoes() throws {
    try withRoot { root in
      let virtual = try rehearsal()
      let folder = try TakeFolder.create(for: virtual.take, in: root)
      let journal = try JournalFile(creatingIn: folder)
      let bytes = virtual.journal
      try journal.append(Array(bytes.prefix(bytes.count / 2)))
      let result = try TakeRenderer(folder: folder, take: virtual.take).finish(notes: ["said the caller"])
      #expect(result.take.state == .incomplete)
      #expect(result.notes.contains("said the caller"))
      #expect(abs((result.take.length?.seconds ?? 0) - 3) < 0.5)
      #expect(journal.size == Int64(bytes.count / 2))
    }
  }

  @Test func aJournalWithoutAHeaderIsATypedError() throws {
    try withRoot { root in
      let virtual = try rehearsal()
      let folder = try TakeFolder.create(for: virtual.take, in: root)
      let journal = try JournalFile(creatingIn: folder)
      try journal.append([1, 2, 3])
      let renderer = try TakeRenderer(folder: folder, take: virtual.take)
      #expect(throws: (any Error).self) { try renderer.finish() }
      #expect(journal.size == 3)
      #expect(try folder.names() == ["take.journal"])
    }
  }

  @Test func partsOfADeadRendererAreRemoved() throws {
    try withRoot { root in
      let virtual = try rehearsal()
      let folder = try TakeFolder.create(for: virtual.take, in: root)
      try JournalFile(creatingIn: folder).append(virtual.journal)
      try folder.write([1], as: "mix.flac.1f8a03c7.part")
      // Of an upload, say; no renderer's.
      try folder.write([1], as: "other.part")
      let renderer = try TakeRenderer(folder: folder, take: virtual.take)
      #expect(try Set(folder.names()) == ["take.journal", "other.part"])
      try renderer.follow()
      #expect(try folder.has(folder.unfinished("mix.flac")))
    }
  }
}
