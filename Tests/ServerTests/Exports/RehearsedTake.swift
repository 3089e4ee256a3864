import Catalog
import Machines
import Music
import Recording
import TestSupport

/// A take that was really rendered, on the shelf of a service: what exports are made of.
struct RehearsedTake {
  let take: Take
  let manifest: Manifest

  init(in data: DataFolder, _ catalog: SQLiteCatalog, length: Double = 2) async throws {
    let players = ["ada", "bob"].map { name in
      var player = VirtualPlayer()
      player.name = name
      player.end = length
      return player
    }
    let virtual = try VirtualTake(players, length: length)
    let folder = try TakeFolder.create(for: virtual.take, in: data.path)
    try JournalFile(creatingIn: folder).append(virtual.journal)
    manifest = try TakeRenderer(folder: folder, take: virtual.take, options: RenderOptions(makesPeaks: false))
      .finish().manifest
    take = manifest.take
    try await catalog.store(manifest.take, tracks: manifest.tracks, cues: manifest.cues)
  }
}
