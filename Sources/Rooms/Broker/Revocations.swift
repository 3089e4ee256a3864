import Library
import Music
import Recording
import Signaling
import Synchronization

/// The revoked join tokens of a data folder; every door asks here, at every request.
///
/// A revocation counts once its file is on disk, so that a restart does not undo it.
package final class Revocations: Sendable {
  private let recordings: String
  private let list: Mutex<RevocationList>
  /// One write at a time; neither readers nor threads of the pool wait for the disk.
  private let errands = DiskErrands()

  /// - Throws: `FileProblem` if the file cannot be read: a service that forgot its revocations would let people in.
  init(recordings: String) throws(FileProblem) {
    self.recordings = recordings
    var found = RevocationList()
    if let folder = try Revocations.existing(in: recordings),
      let file = try RevocationFile.read(RevocationFile.name, in: folder)
    {
      found = file.list
    }
    found.prune(at: MonotonicClock.wall)
    list = Mutex(found)
  }

  private static func existing(in root: String) throws(FileProblem) -> TakeFolder? {
    do throws(FileProblem) {
      return try TakeFolder(existing: RevocationFile.folder, in: root)
    } catch  where error.isMissing {
      return nil
    }
  }

  package var entries: [RevocationList.Entry] { list.withLock { $0.entries } }

  /// - Parameter room: the room that is to be entered, if it is known.
  package func revokes(_ stamp: TokenStamp, in room: RoomName? = nil) -> Bool {
    list.withLock { $0.revokes(stamp, in: room) }
  }

  /// - Throws: `RoomRefusal` `.unauthorized` if the token no longer opens `room`: revoked, or expired.
  func check(_ stamp: TokenStamp, in room: RoomName) throws(RoomRefusal) {
    guard !revokes(stamp, in: room) else {
      throw RoomRefusal(.unauthorized, "the join token has been revoked; get a new one")
    }
    guard !stamp.hasExpired(at: MonotonicClock.wall) else {
      throw RoomRefusal(.unauthorized, "the join token has expired; get a new one")
    }
  }

  /// Places that only the operator may fill, so that no room's moderator can take all of them.
  package static let reserve = 2_000

  /// Adds a revocation and writes it down.
  /// - Parameter leaving: places of the list that stay free.
  /// - Throws: `RoomRefusal` `.tooMany`; `FileProblem` if it cannot be written, and then nothing has changed.
  func add(
    _ subject: RevocationList.Subject, until: WallTime?, leaving: Int = 0
  ) async throws -> RevocationList.Entry {
    try await errands.run { [self] () throws(FileProblem) -> Result<RevocationList.Entry, any Error> in
      Result { try write(subject, until: until, leaving: leaving) }
    }.get()
  }

  private func write(
    _ subject: RevocationList.Subject, until: WallTime?, leaving: Int
  ) throws -> RevocationList.Entry {
    let now = MonotonicClock.wall
    var next = list.withLock { $0 }
    next.prune(at: now)
    guard next.entries.count < RevocationList.maximum - leaving else {
      throw RoomRefusal(
        .tooMany,
        "\(RevocationList.maximum) revocations are kept already; revoke by room, or change the join secret")
    }
    let entry = RevocationList.Entry(subject, at: now, until: until)
    next.add(entry)
    try RevocationFile(next).write(
      RevocationFile.name, in: try TakeFolder.obtain(RevocationFile.folder, in: recordings))
    list.withLock { $0 = next }
    return entry
  }
}

/// The file of the revoked tokens: `_service/revocations.json`.
struct RevocationFile: Sidecar, Hashable {
  static let currentVersion = 1
  static let isPrivate = true
  static let folder = "_service"
  static let name = "revocations.json"

  /// Either `token` or `room`, where "*" stands for tokens of every room.
  struct Item: Codable, Hashable, Sendable {
    var token: String?
    var room: String?
    var revokedAt: WallTime
    var until: WallTime
  }

  var version = RevocationFile.currentVersion
  var revocations: [Item]

  init(_ list: RevocationList) {
    revocations = list.entries.map { entry in
      switch entry.subject {
      case .token(let id): Item(token: id, revokedAt: entry.revokedAt, until: entry.until)
      case .room(let room):
        Item(room: room?.description ?? TokenStamp.everyRoom, revokedAt: entry.revokedAt, until: entry.until)
      }
    }
  }

  /// - Throws: `ValueProblem` for an item without a subject: skipping it would let somebody in.
  func check() throws(ValueProblem) {
    for item in revocations where subject(of: item) == nil {
      throw ValueProblem(
        "revocations", item.room ?? "", "items with a \"token\", or a \"room\" of a valid name")
    }
  }

  var list: RevocationList {
    RevocationList(
      revocations.compactMap { item in
        subject(of: item).map { RevocationList.Entry($0, at: item.revokedAt, until: item.until) }
      })
  }

  private func subject(of item: Item) -> RevocationList.Subject? {
    if let token = item.token { return .token(token) }
    guard let room = item.room else { return nil }
    return room == TokenStamp.everyRoom ? .room(nil) : RoomName(room).map { .room($0) }
  }
}
