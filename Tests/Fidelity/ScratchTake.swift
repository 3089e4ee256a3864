import Glibc
import Machines
import Music
import Recording
import TestSupport

/// A take of three musicians with a folder of its own on the disk.
struct ScratchTake {
  let take: Take
  let tracks: [JournalTrack]

  static let zero = MonotonicTime(nanoseconds: 5_000_000_000)

  init() throws {
    let started = WallTime(milliseconds: 1_795_000_000_000)
    var random = SeededRandom(7)
    func id<Entity>() -> Identifier<Entity> { Identifier(ULID(at: started, using: &random)) }
    take = Take(
      id: id(), number: 1, state: .rolling, room: try RoomName(checking: "Garage"), session: id(),
      startedAt: started, folder: "Garage/2026-11-18-ABCDEF/01-untitled")
    tracks = try ["ada", "bob", "cyd"].map { name in
      JournalTrack(
        trackID: id(), participant: Participant(id: id(), name: try DisplayName(checking: name)), part: nil,
        stream: JournalStream(opusPayloadType: 111, isStereo: true))
    }
  }

  /// Makes a folder below `place`, hands it over, and removes it with all that is in it.
  static func with<Result>(
    _ place: String, _ body: (TakeFolder, ScratchTake, MonotonicTime) throws -> Result
  ) throws -> Result {
    var template = Array("\(place)/jamjar-fidelity-XXXXXX".utf8CString)
    guard let root = mkdtemp(&template).map({ String(cString: $0) }) else {
      throw FidelityProblem("\(place) takes no folder: \(String(cString: strerror(errno)))")
    }
    defer {
      if let folders = try? TakeFolder.journals(under: root) {
        for folder in folders { try? TakeFolder.delete(folder, in: root) }
      }
      rmdir(root)
    }
    let (made, scratch) = try make(in: root)
    return try body(made, scratch, zero)
  }

  /// Makes a folder below `root` that stays.
  static func make(in root: String) throws -> (TakeFolder, ScratchTake) {
    let scratch = try ScratchTake()
    return (try TakeFolder.create(for: scratch.take, in: root), scratch)
  }
}
