import Foundation
import Machines
import Music
import Recording

extension FuzzTarget {
  /// The manifest of a take, the small files beside it, and projects to import: the first byte chooses the file.
  static let manifest = FuzzTarget("manifest", longest: 16_384) { bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let text = input.remainder()
    switch kind {
    case UInt8(ascii: "e"): sidecar(TakeEdits.self, text)
    case UInt8(ascii: "l"):
      for track in sidecar(LosslessTracks.self, text)?.tracks ?? [] { _ = (track.covers, track.mapping.covered) }
    case UInt8(ascii: "b"):
      if let backup = sidecar(BackupFile.self, text)?.backup, (try? backup.check()) != nil { _ = backup.limit }
    case UInt8(ascii: "r"):
      let lanes = ReaperReader.lanes(String(decoding: text, as: UTF8.self))
      try promise(
        lanes.flatMap(\.items).allSatisfy { $0.position.isFinite && $0.length.isFinite && $0.skip.isFinite },
        "an item of a project has a time that is no number")
    default:
      guard let manifest = try? Manifest(decoding: text, path: "manifest.json") else { return }
      _ = manifest.contents
      let written = try manifest.encoded()
      let again = try Manifest(decoding: written, path: "manifest.json")
      try promise(try again.encoded() == written, "the manifest is another once it was written")
    }
  }

  @discardableResult
  private static func sidecar<File: Sidecar>(_ type: File.Type, _ bytes: [UInt8]) -> File? {
    guard let file = try? JSONDecoder().decode(type, from: Data(bytes)), (try? file.check()) != nil else { return nil }
    return file
  }

  /// A sound file by libsndfile, as a take's folder or a musician may contain: FLAC, WAV, Ogg.
  static let sound = FuzzTarget("sound", longest: 65_536) { bytes in
    guard let reader = try? SoundFileReader(copying: bytes) else { return }
    _ = reader.tags
    _ = reader.broadcastTime?.local
    for frames in [1, 120, 480] {
      guard let samples = try? reader.read(frames: frames) else { return }
      try promise(samples.count <= frames * reader.channels, "\(samples.count) samples for \(frames) frames")
    }
    guard (try? reader.seek(to: reader.frameCount / 2)) != nil else { return }
    if let samples = try? reader.readIntegers(frames: 480) {
      try promise(samples.count <= 480 * reader.channels, "\(samples.count) samples for 480 frames")
    }
  }

  /// Recordings of other servers to import: of Janus ("M" begins them), or else WebM.
  static let packets = FuzzTarget("packets", longest: 16_384) { bytes in
    let sound: EncodedSound?
    if bytes.first == UInt8(ascii: "M") {
      sound = try? JanusRecording(SequentialBytes(bytes), name: "a").sound
    } else {
      sound = try? WebMSound(SequentialBytes(bytes), name: "a").sound
    }
    guard let sound else { return }
    try promise(sound.length >= 0, "a sound of \(sound.length) samples")
  }

  /// An archive to import.
  static let archive = FuzzTarget("archive", longest: 16_384) { bytes in
    guard let archive = try? ZIPReader(copying: bytes) else { return }
    for entry in archive.entries.prefix(8) {
      guard let contents = try? archive.bytes(of: entry).all(limit: 4 << 20) else { continue }
      try promise(
        contents.count <= max(1 << 20, 100 * bytes.count), "\(bytes.count) bytes became \(contents.count)")
    }
  }

  /// A Reaper project to import.
  static let project = FuzzTarget("project", longest: 8_192) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let lanes = ReaperReader.lanes(text)
    let items = lanes.flatMap(\.items)
    try promise(lanes.count + items.count <= bytes.count, "\(lanes.count) tracks of \(bytes.count) bytes")
    for item in items {
      let numbers = [item.position, item.length, item.skip, item.rate]
      try promise(numbers.allSatisfy(\.isFinite), "\(item) has a number that is none")
    }
  }

  /// Small values in texts of requests and files.
  static let values = FuzzTarget("values", longest: 1_024) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let time = WallTime(text) {
      for span in [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .zero] {
        _ = (time + span, time - span, (time + span) - time)
      }
      try promise(WallTime("\(time)").map { $0.milliseconds == time.milliseconds } ?? false, "\(time) is another time")
      _ = (time.date, time.nanosecondsOfDay, time.bitPattern)
    }
    if let id = TakeID(text) { try promise(TakeID("\(id)") == id, "\(id) is another identifier") }
    if let name = RoomName(text) { try promise(RoomName("\(name)") == name, "\(name) is another room") }
    if let name = DisplayName(text) { try promise(DisplayName("\(name)") == name, "\(name) is another name") }
    if let seconds = Double(text), let position = SamplePosition(seconds: seconds) {
      _ = (position.duration, position.seconds)
    }
    for alphabet in [Base64.standard, Base64.url] {
      if let decoded = alphabet.decode(text) { try promise(alphabet.encode(decoded) == text, "two texts for one") }
    }
    try promise(FileName.portable(text, fallback: "name").utf8.count <= 255, "the file's name is too long")
  }
}
