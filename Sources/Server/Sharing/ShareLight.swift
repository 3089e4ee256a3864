import Hummingbird
import Music
import NIOPosix
import Recording
import Rooms
import Signaling

/// The mix as Opus for visitors of links, on a tenth of the line that FLAC needs: an export like others, made in a process
/// of its own once for each rendering of a take, when its first link is made or opened, and anew once it has expired.
struct ShareLight: Sendable {
  let exports: Exports
  let usage: RoomUsage
  /// The data folder.
  let recordings: String

  /// The finished file of the take's mix; nil while there is none, and then it is ordered.
  ///
  /// Failure costs visitors nothing but the shorter road, so it throws nothing.
  func find(_ take: Take) async -> RecordedFile? {
    guard let (manifest, bytes) = await manifest(of: take) else { return nil }
    let id = ShareLight.identifier(bytes)
    if let job = exports.job(id) {
      guard job.state == .done, let name = job.file else { return nil }
      return try? await RecordedFile.open(name, in: ExportMaker.path(of: id), of: recordings)
    }
    await order(take, manifest, as: id)
    return nil
  }

  private func order(_ take: Take, _ manifest: Manifest, as id: String) async {
    let others = exports.list.filter { $0.room == take.room }.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
    guard ExportFormat.opus.isAvailable, (try? await usage.check(take.room, others: others)) != nil else { return }
    var words = ExportWords()
    words.format = .opus
    let source = ExportSource(take: take, manifest: manifest, cues: [], lossless: nil)
    guard let wish = try? ExportWish(words, tracks: manifest.audibleTracks, length: manifest.length) else { return }
    let job = ExportJob(
      id: id, take: take.id, room: take.room, kind: .mix, format: ExportFormat.opus.rawValue, rate: wish.rate,
      downloadName: "\(take.room) - \(take.song?.title ?? "untitled") \(take.number) - mix.opus",
      createdAt: MonotonicClock.wall)
    _ = try? await exports.submit(job, ExportOrder(request: wish, source: source), isPrivileged: false)
  }

  private func manifest(of take: Take) async -> (Manifest, [UInt8])? {
    try? await NIOThreadPool.singleton.runIfActive { [recordings] in
      let folder = try TakeFolder(existing: take.folder, in: recordings)
      return (try Manifest(of: folder), try folder.read(TakeFolder.manifestName))
    }
  }

  /// By what was recorded alone: comments and titles do not have it made anew.
  private static func identifier(_ manifest: [UInt8]) -> String {
    let sum = SHA256.hash(SHA256.hash(manifest) + Array("mix for links".utf8))
    return sum.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
