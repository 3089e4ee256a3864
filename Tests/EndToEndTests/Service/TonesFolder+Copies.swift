import Foundation
import Music
import Recording

extension TonesFolder.Copy {
  /// Adds so many copies of the first take, whose files are the same ones on the disk, and takes the index away: a service
  /// that starts on the folder fills it from the manifests. They differ in identifiers, folders and numbers.
  func multiply(by count: Int) throws {
    let files = FileManager.default
    let root = folder.path + "/Recordings"
    let manifests = (files.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix("/manifest.json") }
    for path in manifests {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
      guard var manifest = try JSONSerialization.jsonObject(with: data) as? [String: Any],
        var take = manifest["take"] as? [String: Any], take["id"] as? String == first,
        let tracks = manifest["tracks"] as? [[String: Any]]
      else { continue }
      let original = (path as NSString).deletingLastPathComponent
      let session = (original as NSString).deletingLastPathComponent
      // Annotations say whose they are.
      let names = try files.contentsOfDirectory(atPath: "\(root)/\(original)").filter {
        !["manifest.json", "annotations.json"].contains($0)
      }
      for number in 1...count {
        let place = "\(session)/copy-\(number)"
        try files.createDirectory(atPath: "\(root)/\(place)", withIntermediateDirectories: false)
        for name in names {
          try files.linkItem(atPath: "\(root)/\(original)/\(name)", toPath: "\(root)/\(place)/\(name)")
        }
        (take["folder"], take["number"]) = (place, number + 2)
        manifest["take"] = take
        var text = String(decoding: try JSONSerialization.data(withJSONObject: manifest), as: UTF8.self)
        for id in [first] + tracks.compactMap({ $0["id"] as? String }) {
          // Decimal digits are digits of a ULID too.
          text = text.replacingOccurrences(of: id, with: id.dropLast(6) + String(format: "%06d", number))
        }
        try text.write(toFile: "\(root)/\(place)/manifest.json", atomically: false, encoding: .utf8)
      }
    }
    removeIndex()
  }

  /// Adds so many cues to the first take, 20 ms apart and named by their numbers, and takes the index away, as above. One by
  /// one over REST, each with the whole list written anew, they take a debug build half a minute.
  func addCues(_ count: Int) throws {
    let root = folder.path + "/Recordings"
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    for path in paths where path.hasSuffix("/\(TakeEdits.fileName)") {
      let file = URL(fileURLWithPath: "\(root)/\(path)")
      var edits = try JSONDecoder().decode(TakeEdits.self, from: try Data(contentsOf: file))
      guard "\(edits.take)" == first else { continue }
      for number in 0..<count {
        edits.cues.append(
          Cue(id: CueID(at: MonotonicClock.wall), position: SamplePosition(Int64(number * 960)), text: "cue \(number)"))
      }
      try JSONEncoder().encode(edits).write(to: file)
      return removeIndex()
    }
    throw EndToEndFailure("the take \(first) has no \(TakeEdits.fileName)")
  }

  private func removeIndex() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: "\(folder.path)/Recordings/jamjar.sqlite\(suffix)")
    }
  }
}
