import Foundation
import Machines
import Music

/// An archive of individual streams by OpenTok (Vonage Video) and its work-alikes: a ZIP with a WebM file for each
/// stream and one manifest in JSON, which says when each began.
enum OpenTokArchive {
  /// The manifest, as far as it is needed.
  private struct Manifest: Decodable {
    struct File: Decodable {
      var filename: String
      /// In milliseconds from the archive's beginning.
      var startTimeOffset: Double
      var connectionData: String?
      var streamId: String?
    }

    var id: String?
    var name: String?
    /// In milliseconds since 1970.
    var createdAt: Double?
    var files: [File]
  }

  private static let longestManifest = 16 << 20
  /// Most streams of an archive. Each takes a temporary file while the take is made.
  private static let mostStreams = 500
  /// The longest distance from the archive's beginning, in milliseconds: a day.
  private static let longestOffset = 86_400_000.0

  /// - Throws: `ImportProblem`, `FileProblem`.
  /// - Parameter temporary: the folder for temporary files; nil for the system's.
  static func plan(_ path: String, temporary: String?) throws -> ImportPlan {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL
    let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
    let archive = try ZIPReader(name, in: TakeFolder(dataFolder: folder))
    let manifest = try manifest(of: archive, name)
    guard manifest.files.count <= mostStreams else {
      throw ImportProblem(
        "\(name) has \(manifest.files.count) streams; at most \(mostStreams) are possible: unpack it, and import those that "
          + "you need")
    }
    guard Set(manifest.files.map { lastComponent($0.filename) }).count == manifest.files.count else {
      throw ImportProblem("\(name) names a file twice in its manifest; it is damaged")
    }
    var plan = ImportPlan(
      origin: name, sources: [], lanes: [],
      startedAt: WallTime(milliseconds: Int64(saturating: max(0, manifest.createdAt ?? 0))))
    var lanes: [(name: String, pieces: [ImportPlan.Piece])] = []
    for (index, file) in manifest.files.enumerated() {
      guard let entry = archive.entries.first(where: { lastComponent($0.name) == lastComponent(file.filename) }) else {
        plan.notes.append("the archive lacks \(file.filename)")
        continue
      }
      guard (0...longestOffset).contains(file.startTimeOffset) else {
        throw ImportProblem("\(name) says that \(file.filename) begins at an impossible time")
      }
      let sound: EncodedSound
      do {
        let bytes = try archive.bytes(of: entry)
        sound = try WebMSound(bytes, name: file.filename, temporary: temporary).sound
        // To its end, where the checksum is compared.
        while try !bytes.some().isEmpty {}
      } catch let problem as ImportProblem where !problem.isDamage {
        // Streams without sound are common: a musician who never played, a screen.
        plan.notes.append("left out: \(problem)")
        continue
      }
      let piece = ImportPlan.Piece(
        source: plan.sources.count, position: Int64((file.startTimeOffset * 48).rounded()), length: sound.length)
      plan.sources.append(
        ImportPlan.Source(folder: folder, name: name, sound: sound, modified: plan.startedAt))
      if let note = sound.note(file.filename) { plan.notes.append(note) }
      let musician = musician(file.connectionData) ?? file.streamId ?? "stream \(index + 1)"
      // A musician who came back has several streams, one after the other.
      if let known = lanes.firstIndex(where: { lane in
        lane.name == musician && lane.pieces.allSatisfy { $0.end <= piece.position || piece.end <= $0.position }
      }) {
        lanes[known].pieces.append(piece)
      } else {
        lanes.append((musician, [piece]))
      }
    }
    guard !lanes.isEmpty else {
      let reason = plan.notes.first.map { " (\($0))" } ?? ""
      throw ImportProblem("\(name) has no stream with sound\(reason)")
    }
    try ImportPlanner.check(lanes.count, name)
    plan.lanes = try lanes.enumerated().map { index, lane in
      ImportPlan.Lane(
        name: try ImportPlanner.displayName(lane.name, number: index + 1), pieces: lane.pieces,
        basis: "the archive's start times, in milliseconds")
    }
    return plan
  }

  private static func manifest(of archive: ZIPReader, _ name: String) throws -> Manifest {
    let entry = archive.entries.first { $0.name.lowercased().hasSuffix(".json") }
    let text = try entry.map { try archive.bytes(of: $0).all(limit: longestManifest) }
    guard let text, let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text)) else {
      throw ImportProblem(
        "\(name) is no OpenTok archive: it lacks a manifest in JSON beside its WebM files; unpack it, and import the "
          + "folder")
    }
    return manifest
  }

  private static func lastComponent(_ path: String) -> Substring {
    path.split(separator: "/").last ?? Substring(path)
  }

  /// The musician by what the application put into the token: JSON, `key=value` pairs, or a text.
  static func musician(_ data: String?) -> String? {
    guard let data = data?.trimmingCharacters(in: .whitespacesAndNewlines), !data.isEmpty else { return nil }
    let keys = ["name", "userName", "username", "displayName", "nickname", "user", "participant"]
    if let object = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any] {
      return keys.lazy.compactMap { object[$0] as? String }.first { !$0.isEmpty }
    }
    var pairs: [String: String] = [:]
    for pair in data.split(whereSeparator: { "&;,\n".contains($0) }) {
      let sides = pair.split(separator: "=", maxSplits: 1)
      guard sides.count == 2 else { continue }
      pairs[sides[0].trimmingCharacters(in: .whitespaces)] = sides[1].trimmingCharacters(in: .whitespaces)
    }
    return pairs.isEmpty ? data : keys.lazy.compactMap { pairs[$0] }.first { !$0.isEmpty }
  }
}
