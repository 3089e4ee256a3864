import Foundation
import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// A data folder as a loss of power leaves it while a take rolls: the journal so far, the unfinished files, and the last
/// checkpoint.
struct PowerCut {
  let virtual: VirtualTake
  let options: RenderOptions
  let folder: TakeFolder
  private let disk: ScratchFolder

  var root: String { disk.path }

  /// Follows `virtual` for `heard` seconds, one after the other, and makes a checkpoint every two and a half of music.
  ///
  /// - Parameter each: called after every second, with the folder in which the take rolls.
  init(
    _ virtual: VirtualTake, heard: Double, options: RenderOptions = RenderOptions(),
    each: (TakeFolder) throws -> Void = { _ in }
  ) throws {
    self.virtual = virtual
    self.options = options
    let rolling = try ScratchFolder()
    let stage = try TakeFolder.create(for: virtual.take, in: rolling.path)
    let journal = try JournalFile(creatingIn: stage)
    let renderer = try TakeRenderer(
      folder: stage, take: virtual.take, options: options, checkpointInterval: PowerCut.interval)
    for second in PowerCut.seconds(of: virtual, to: heard) {
      try journal.append(second)
      try renderer.follow()
      try each(stage)
    }
    let disk = try ScratchFolder()
    self.disk = disk
    let parent = virtual.take.folder.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: "\(disk.path)/\(parent)", withIntermediateDirectories: true)
    // A renderer that is released removes its unfinished files.
    try withExtendedLifetime((renderer, rolling)) {
      try FileManager.default.copyItem(
        atPath: "\(rolling.path)/\(stage.path)", toPath: "\(disk.path)/\(virtual.take.folder)")
    }
    folder = try TakeFolder(existing: virtual.take.folder, in: disk.path)
  }

  static let interval = MonotonicTime.Span.milliseconds(2_500)

  /// The bytes that the journal of `virtual` grows by in each second up to `end`.
  static func seconds(of virtual: VirtualTake, from start: Double = 0, to end: Double) -> [[UInt8]] {
    var writer = JournalWriter(header: virtual.header)
    var pieces: [[UInt8]] = []
    var next = 1.0
    for frame in virtual.frames {
      let time = (frame.time - virtual.header.zero).seconds
      guard time < end else { break }
      while time >= next {
        let piece = writer.take()
        if next > start { pieces.append(piece) }
        next += 1
      }
      writer.append(frame)
    }
    return pieces + [writer.take()]
  }

  /// What the next start makes of it, and where it continued.
  func restarted() throws -> (take: RenderedTake, continuedAt: SamplePosition?) {
    _ = try JournalRecovery.recover(try JournalFile(openingIn: folder))
    let renderer = try TakeRenderer(folder: folder, take: virtual.take, options: options)
    let rendered = try renderer.finish()
    return (rendered, renderer.continuedAt)
  }

  /// Makes the take once more, from its journal alone, and expects the same of `rendered`.
  func expectTheSame(_ rendered: RenderedTake, at location: SourceLocation = #_sourceLocation) throws {
    let other = try ScratchFolder()
    let place = try TakeFolder.create(for: virtual.take, in: other.path)
    try JournalFile(creatingIn: place).append(try folder.read(TakeFolder.journalName))
    let reference = try TakeRenderer(folder: place, take: virtual.take, options: options).finish()
    #expect(rendered.take == reference.take, sourceLocation: location)
    #expect(rendered.tracks == reference.tracks, sourceLocation: location)
    #expect(rendered.cues == reference.cues, sourceLocation: location)
    #expect(rendered.notes == reference.notes, sourceLocation: location)
    #expect(rendered.manifest.mixLoudness == reference.manifest.mixLoudness, sourceLocation: location)
    #expect(rendered.manifest.mixPeak == reference.manifest.mixPeak, sourceLocation: location)
    #expect(rendered.manifest.files.map(\.name) == reference.manifest.files.map(\.name), sourceLocation: location)
    #expect(try folder.names() == place.names(), sourceLocation: location)
    for file in rendered.manifest.files where file.role != .journal {
      let (made, whole) = (try folder.read(file.name), try place.read(file.name))
      // FLAC's encoder chooses the coding of a frame by what it coded before; the sound is what counts.
      let isSame =
        try PowerCut.comparable(made, file.role) == PowerCut.comparable(whole, file.role)
        || (file.name.hasSuffix(".flac") && samples(of: file.name, in: folder) == samples(of: file.name, in: place))
      #expect(
        isSame, "\(file.name): \(made.count) and \(whole.count) bytes\(difference(of: file.name, place))",
        sourceLocation: location)
      #expect(try FileDigest(of: file.name, in: folder) == file.digest, "\(file.name)", sourceLocation: location)
    }
  }

  /// Expects the samples before `end` (in seconds) of every track to be those of a render from the beginning.
  func expectTheSameSound(
    of rendered: RenderedTake, upTo end: Double, at location: SourceLocation = #_sourceLocation
  ) throws {
    let other = try ScratchFolder()
    let place = try TakeFolder.create(for: virtual.take, in: other.path)
    try JournalFile(creatingIn: place).append(try folder.read(TakeFolder.journalName))
    let reference = try TakeRenderer(folder: place, take: virtual.take, options: options).finish()
    #expect(rendered.take.length == reference.take.length, sourceLocation: location)
    #expect(rendered.tracks.map(\.gaps) == reference.tracks.map(\.gaps), sourceLocation: location)
    let frames = Int(end * 48_000)
    for track in rendered.tracks {
      let name = try #require(track.file)
      let made = try SoundFileReader(name, in: folder).readIntegers(frames: frames)
      let whole = try SoundFileReader(name, in: place).readIntegers(frames: frames)
      let isSame = made == whole
      #expect(isSame, "\(name)\(difference(of: name, place))", sourceLocation: location)
      #expect(made.count >= frames, "\(name)", sourceLocation: location)
    }
  }

  private func samples(of name: String, in folder: TakeFolder) throws -> [Int32] {
    let reader = try SoundFileReader(name, in: folder)
    return try reader.readIntegers(frames: Int(reader.frameCount))
  }

  /// Where two sound files begin and end to differ, in seconds, and by how much.
  private func difference(of name: String, _ other: TakeFolder) -> String {
    guard let made = try? SoundFileReader(name, in: folder), let whole = try? SoundFileReader(name, in: other),
      let first = try? made.readIntegers(frames: 1_000_000), let second = try? whole.readIntegers(frames: 1_000_000)
    else { return "" }
    let places = zip(first, second).enumerated().filter { $0.element.0 != $0.element.1 }
    guard let begin = places.first, let end = places.last else { return ", \(first.count) and \(second.count) samples" }
    let worst = places.reduce(0.0) { max($0, abs(Double($1.element.0) - Double($1.element.1))) } / 2_147_483_648
    let rate = Double(48_000 * made.channels)
    let (from, to) = (Double(begin.offset) / rate, Double(end.offset) / rate)
    return ", \(places.count) samples from \(from) to \(to) s, by \(worst)"
  }

  /// A file without those numbers of FLAC's that a continued file does not know.
  private static func comparable(_ bytes: [UInt8], _ role: Manifest.Role) -> [UInt8] {
    guard role != .peaks, bytes.count > 42, bytes.starts(with: Array("fLaC".utf8)) else { return bytes }
    return Array(bytes[..<12]) + bytes[18..<26] + bytes[42...]
  }

  /// Takes the checkpoint, lets `change` work on it and puts it back.
  func rewrite(_ change: (inout TakeCheckpoint) -> Void) throws {
    var checkpoint = try #require(TakeCheckpoint.take(from: folder, of: virtual.take.id, options: options))
    change(&checkpoint)
    try checkpoint.write(in: folder)
  }

  /// Lets `change` work on the bytes of a file.
  func edit(_ name: String, _ change: (inout [UInt8]) throws -> Void) throws {
    var bytes = try folder.read(name)
    try change(&bytes)
    try Data(bytes).write(to: URL(filePath: "\(root)/\(folder.path)/\(name)"))
  }
}
