import Library
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The invitations of a data folder that still hold. What makes one invalid is its token (`Revocations`, its expiry): an
/// invitation that is missing here holds all the same.
final class Invitations: Sendable {
  private let recordings: String
  private let revocations: Revocations
  private let list: Mutex<[Invitation]>
  /// One write at a time; neither readers nor threads of the pool wait for the disk.
  private let errands = DiskErrands()

  /// - Throws: `FileProblem` if the file cannot be read: nobody could withdraw what is in it.
  init(recordings: String, revocations: Revocations) throws(FileProblem) {
    self.recordings = recordings
    self.revocations = revocations
    var found: [Invitation] = []
    do throws(FileProblem) {
      let folder = try TakeFolder(existing: InvitationFile.folder, in: recordings)
      found = try InvitationFile.read(InvitationFile.name, in: folder)?.invitations ?? []
    } catch  where error.isMissing {
      // A new data folder.
    }
    list = Mutex(found)
  }

  /// Those that open `room` and were signed by the secret with this mark, in order of their making.
  func valid(in room: RoomName, signer: String) -> [Invitation] {
    let now = MonotonicClock.wall
    return list.withLock { $0 }.filter { $0.room == room && $0.signer == signer && holds($0, at: now) }
  }

  private func holds(_ invitation: Invitation, at now: WallTime) -> Bool {
    now < invitation.expiresAt && !revocations.revokes(invitation.stamp)
  }

  /// Adds invitations of one room and writes them down. Those that a former secret has signed count no more.
  /// - Throws: `RoomRefusal` `.tooMany`; `FileProblem` if they cannot be written, and then nothing has changed.
  func add(_ new: [Invitation]) async throws {
    guard let (room, signer) = new.first.map({ ($0.room, $0.signer) }) else { return }
    let now = MonotonicClock.wall
    try await change { [self] kept in
      let all = kept.filter { $0.room != room || $0.signer == signer && holds($0, at: now) } + new
      guard all.count(where: { $0.room == room }) <= Invitation.maximumOfRoom, all.count <= Invitation.maximum else {
        throw RoomRefusal(
          .tooMany,
          "a room has \(Invitation.maximumOfRoom) invitations at most, all rooms \(Invitation.maximum); withdraw those "
            + "that nobody needs")
      }
      return all
    }
  }

  /// Forgets an invitation, which has been revoked.
  /// - Throws: `FileProblem`.
  func remove(_ id: String) async throws {
    try await change { kept in kept.filter { $0.id != id } }
  }

  private typealias Change = @Sendable (_ kept: [Invitation]) throws -> [Invitation]

  private func change(_ body: @escaping Change) async throws {
    try await errands.run { [self] () throws(FileProblem) -> Result<Void, any Error> in
      Result { try write(body) }
    }.get()
  }

  private func write(_ body: Change) throws {
    let now = MonotonicClock.wall
    let next = try body(list.withLock { $0 }.filter { now < $0.expiresAt })
    try InvitationFile(invitations: next).write(
      InvitationFile.name, in: try TakeFolder.obtain(InvitationFile.folder, in: recordings))
    list.withLock { $0 = next }
  }
}

/// The file of the invitations: `_service/invitations.json`.
struct InvitationFile: Sidecar, Hashable {
  static let currentVersion = 1
  static let isPrivate = true
  /// As many as there may be, with the longest names.
  static let sizeLimit = 16 << 20
  static let folder = "_service"
  static let name = "invitations.json"

  var version = InvitationFile.currentVersion
  var invitations: [Invitation]

  /// - Throws: `ValueProblem` for a role that no token grants.
  func check() throws(ValueProblem) {
    for invitation in invitations where !Authority.inTokens.contains(invitation.role) {
      throw ValueProblem(
        "role", invitation.role.rawValue, Authority.inTokens.map(\.rawValue).joined(separator: ", "))
    }
  }
}
