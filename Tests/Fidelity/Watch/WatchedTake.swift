import Machines
import Music
import Recording

/// A take of three musicians, which is prepared once and read by every run.
struct WatchedTake {
  let folder: String

  /// Records and renders a take of `seconds` below the folder.
  static func prepare(seconds: Int, in folder: String) throws {
    let music = try (1...3).map { try LoopedMusic(seconds: min(seconds, 20), seed: UInt64($0)) }
    let (place, take) = try ScratchTake.make(in: folder)
    var writer = JournalWriter(
      header: JournalHeader(take: take.take, zero: ScratchTake.zero, software: "jamjar fidelity"))
    for (index, track) in take.tracks.enumerated() {
      writer.append(.trackOpened(track: index + 1, track, at: ScratchTake.zero + .milliseconds(1)))
    }
    for second in 0..<seconds {
      var frames = music.enumerated().flatMap { $1.second(second, track: $0 + 1, zero: ScratchTake.zero) }
      frames.sort { $0.time < $1.time }
      for frame in frames { writer.append(frame) }
    }
    writer.append(.end(at: ScratchTake.zero + .seconds(Int64(seconds)), .stopped))
    try JournalFile(creatingIn: place).append(writer.take())
    try TakeRenderer(folder: place, take: take.take).finish().manifest.write(in: place)
  }

  /// Renders the journal once more, in a folder of its own: decodes, resamples, mixes, writes FLAC.
  func render() throws {
    let journal = try prepared().read(TakeFolder.journalName)
    try ScratchTake.with(folder) { folder, take, _ in
      try JournalFile(creatingIn: folder).append(journal)
      let result = try Watch.count { try TakeRenderer(folder: folder, take: take.take).finish() }
      guard result.take.state == .ready, result.tracks.count == 3, result.tracks.allSatisfy(\.gaps.isEmpty) else {
        throw FidelityProblem("the take is not whole: \(result.notes)")
      }
    }
  }

  /// Mixes the finished take anew, one track louder and one to the left.
  func export(_ format: ExportFormat) throws {
    let folder = try prepared()
    let manifest = try Manifest(of: folder)
    let mix = try Watch.count {
      var settings = MixSettings()
      settings.channels = [1: .init(gain: 1.5), 2: .init(pan: -0.5)]
      return try MixDown(of: folder, manifest: manifest).write(
        "watch.\(format.ending)", in: folder, settings: settings, format: format)
    }
    guard mix.length == manifest.length else { throw FidelityProblem("the mix has another length than its take") }
  }

  private func prepared() throws -> TakeFolder {
    guard let path = try TakeFolder.manifests(under: folder).first else {
      throw FidelityProblem("\(folder) has no take; `watch --prepare SECONDS` makes one")
    }
    return try TakeFolder(existing: path, in: folder)
  }
}
