import Music
import TestSupport
import Testing

@testable import Recording

/// An export that does not come to its end leaves nothing.
@Suite struct MixStoppingTests {
  private struct Stop: Error {}

  private func studio() throws -> MixStudio {
    try MixStudio(
      [Tone.noise(1, frames: 200_000), Tone.noise(2, frames: 200_000)], mix: Tone.noise(3, frames: 200_000))
  }

  @Test(arguments: [0.0, 0.4, 1]) func whoStopsItFindsNoHalfFile(place: Double) throws {
    let studio = try studio()
    let before = try studio.folder.names()
    for settings in [MixSettings(gain: -1), MixSettings(), MixSettings(normalization: .init(loudness: -20))] {
      #expect(throws: Stop.self) {
        try studio.mixDown.write("export.flac", in: studio.folder, settings: settings) { part in
          if part >= place { throw Stop() }
        }
      }
      #expect(try studio.folder.names() == before)
    }
  }

  @Test func progressGrowsToOne() throws {
    let studio = try studio()
    let settings = MixSettings(normalization: .init(loudness: -9))
    let told = Told()
    _ = try studio.mixDown.write("export.flac", in: studio.folder, settings: settings) { told.parts.append($0) }
    #expect(told.parts.last == 1)
    #expect(told.parts == told.parts.sorted())
    #expect(told.parts.count > 10)
  }

  /// A copy of the take's mix is hashed first, which takes as long.
  @Test func aCopyTellsItsProgressWhileItIsCompared() throws {
    let studio = try studio()
    let told = Told()
    _ = try studio.mixDown.write("export.flac", in: studio.folder) { told.parts.append($0) }
    let first = try #require(told.parts.first)
    #expect(first > 0 && first <= 0.5)
    #expect(told.parts.last == 1)
    #expect(told.parts == told.parts.sorted())
  }

  private final class Told {
    var parts: [Double] = []
  }

  @Test func aDamagedTrackIsSaidAndLeavesNoHalfFile() throws {
    let studio = try studio()
    var bytes = try studio.folder.read("02-track.flac")
    for index in (bytes.count / 2)..<bytes.count { bytes[index] = 0x55 }
    try studio.folder.write(Array(bytes.prefix(bytes.count - 1_000)), as: "02-track.flac")
    let before = try studio.folder.names()
    #expect(throws: FileProblem.self) {
      try studio.mixDown.write("export.flac", in: studio.folder, settings: MixSettings(gain: -1))
    }
    #expect(try studio.folder.names() == before)
  }

  @Test(.enabled(if: SmallDisk.isPossible)) func aFullDiskIsSaidAndLeavesNoHalfFile() throws {
    let disk = try SmallDisk()
    let target = try TakeFolder.create(for: try JournalSamples.take(), in: disk.path)
    let studio = try MixStudio([Tone.noise(1, frames: 400_000)], mix: Tone.noise(3, frames: 400_000))
    for settings in [MixSettings(gain: -1), MixSettings()] {
      let problem = #expect(throws: FileProblem.self) {
        try studio.mixDown.write("export.flac", in: target, settings: settings)
      }
      #expect(problem?.isDiskFull == true)
      #expect(try target.names().isEmpty)
    }
  }
}
