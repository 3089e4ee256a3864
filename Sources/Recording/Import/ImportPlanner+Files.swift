import Foundation
import Machines
import Music

extension ImportPlanner {
  /// - Throws: `ImportProblem` if it is no sound file; `FileProblem`.
  func source(_ path: String) throws -> ImportPlan.Source {
    // A link that the user names is meant.
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL
    let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
    // Senders of files know nothing about our folders.
    let label = isFlat ? name : path
    if let what = ImportPlanner.foreign[ImportPlanner.ending(of: name)] { throw ImportProblem("\(label) is \(what)") }
    let status = (try? TakeFolder(dataFolder: folder).open(name)).flatMap { FileStatus(of: $0.raw) }
    let modified = status.map { WallTime(milliseconds: $0.modified / 1_000_000) } ?? MonotonicClock.wall
    if let source = try packets(name, in: folder, modified: modified) { return source }
    let reader: SoundFileReader
    do throws(FileProblem) {
      reader = try SoundFileReader(name, in: TakeFolder(dataFolder: folder))
    } catch {
      guard error.code == 0 else { throw error }
      throw ImportProblem("\(label) is no sound file that can be read: \(error.detail ?? "unknown format")")
    }
    guard reader.frameCount > 0 else { throw ImportProblem("\(label) has no sound in it") }
    guard (8_000...384_000).contains(reader.rate) else {
      throw ImportProblem("\(label) has a rate of \(reader.rate) Hz; permitted: 8000 to 384000")
    }
    return ImportPlan.Source(
      folder: folder, name: name, channels: reader.channels, rate: reader.rate, length: reader.frameCount,
      time: reader.broadcastTime, modified: modified)
  }

  /// A file of packets; nil for others.
  private func packets(_ name: String, in folder: String, modified: WallTime) throws -> ImportPlan.Source? {
    let ending = ImportPlanner.ending(of: name)
    guard ["mjr", "webm", "mka", "mkv"].contains(ending) else { return nil }
    let files = try TakeFolder(dataFolder: folder)
    let bytes = SequentialBytes(try files.open(name), path: name)
    guard ending == "mjr" else {
      let sound = try WebMSound(bytes, name: name, temporary: temporary).sound
      var source = ImportPlan.Source(folder: folder, name: name, sound: sound, modified: modified)
      source.notes = [sound.note(name)].compactMap(\.self)
      return source
    }
    let recording = try JanusRecording(bytes, name: name, temporary: temporary)
    var source = ImportPlan.Source(folder: folder, name: name, sound: recording.sound, modified: modified)
    source.arrival = recording.startedAt
    source.description = recording.description
    source.notes = [
      recording.sound.note(name), recording.isCut ? "\(name) ends within a packet" : nil,
    ].compactMap(\.self)
    return source
  }

  /// False for recordings of Janus of something else than sound, which lie beside those of the sound.
  static func isSound(_ name: String, in folder: String) -> Bool {
    guard ending(of: name) == "mjr", let files = try? TakeFolder(dataFolder: folder), let file = try? files.open(name)
    else { return true }
    return JanusRecording.isSound(SequentialBytes(file, path: name))
  }

  static func ending(of path: String) -> String { URL(fileURLWithPath: path).pathExtension.lowercased() }

  /// The musician by a file's name: without ending, a number in front, and underscores.
  static func name(of file: String) -> String {
    let stem = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent.replacing("_", with: " ")
    let name = stem.drop { $0.isNumber || " -.".contains($0) }
    return name.isEmpty ? stem : String(name)
  }

  /// The nearest permitted name.
  static func displayName(_ text: String, number: Int) throws(ImportProblem) -> DisplayName {
    let visible = String(text.filter { !$0.isNewline }.prefix(64)).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let name = DisplayName(visible) ?? DisplayName("track \(number)") else {
      throw ImportProblem("no musician can be called \"\(visible)\"; rename the file")
    }
    return name
  }
}
