import Machines
import Music
import TestSupport

@testable import Recording

/// Three musicians with known delays, rendered into real files, and what is exported of them.
struct ExportRehearsal {
  /// Seconds of the take.
  static let length = 8.0

  let scratch: ScratchFolder
  let folder: TakeFolder
  let export: MixDown
  let manifest: Manifest
  let players: [VirtualPlayer]

  /// - Parameters:
  ///   - ways: one way through each player's network, in milliseconds; half of the round trip.
  ///   - playouts: what clients reported, in milliseconds.
  init(
    _ players: [VirtualPlayer], ways: [Double], playouts: [(listener: Int, of: Int, milliseconds: Double)],
    options: RenderOptions = RenderOptions(makesPeaks: false)
  ) throws {
    var players = players
    for (index, way) in ways.enumerated() {
      players[index].link = VirtualLink(delay: way / 1_000)
      players[index].settings = OpusEncoder.Settings(channels: 1, bitrate: 128_000, complexity: 5)
      players[index].signal.isStereo = false
    }
    let reports = playouts.flatMap { playout in
      [2.0, 4.0].map { time in
        JournalFrame.playoutDelay(
          track: playout.listener, at: VirtualTake.time(time), of: playout.of,
          delay: .microseconds(Int64(playout.milliseconds * 1_000)))
      }
    }
    let take = try VirtualTake(players, length: ExportRehearsal.length, extra: reports)
    self.players = players
    scratch = try ScratchFolder()
    folder = try TakeFolder.create(for: take.take, in: scratch.path)
    try JournalFile(creatingIn: folder).append(take.journal)
    manifest = try TakeRenderer(folder: folder, take: take.take, options: options).finish().manifest
    export = MixDown(of: folder, manifest: manifest)
  }

  /// The left side of what is exported from `perspective`.
  func left(_ perspective: Perspective, format: ExportFormat = .flac24) throws -> (mix: ExportedMix, plane: [Float]) {
    let name = "export.\(format.ending)"
    let mix = try export.write(
      name, in: folder, shifts: try export.shifts(for: perspective), format: format, title: "a test")
    return (mix, try left(of: name))
  }

  /// The left side of a file in the take's folder.
  func left(of name: String) throws -> [Float] {
    try all(of: name).plane()
  }

  /// All of a file in the take's folder, interleaved.
  func all(of name: String) throws -> Interleaved {
    let reader = try SoundFileReader(name, in: folder)
    return Interleaved(samples: try reader.read(frames: Int(reader.frameCount)), channels: reader.channels)
  }
}
