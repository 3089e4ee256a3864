import HTTPTypes
import Hummingbird
import Library
import Logging
import Music
import NIOCore
import NIOPosix
import Recording
import Rooms
import Signaling
import Synchronization

extension Backings {
  /// Bytes that are written at a time.
  private static let piece = 1 << 20

  /// Receives a file, decodes it, and adds it to the room's backing tracks.
  ///
  /// - Parameters:
  ///   - body: the file, of any kind that libsndfile reads.
  ///   - limit: its most bytes.
  /// - Throws: `Problem`; `RoomRefusal` `.storage` if the room's quota is used up. No file is left then.
  func add(_ title: String, to room: RoomName, _ body: RequestBody, limit: Int) async throws -> Backing {
    try await takePlace(in: room)
    defer { giveUpPlace(in: room) }
    let now = MonotonicClock.wall
    let id = BackingID(at: now)
    let path = BackingFile.path(of: id, in: room)
    do {
      try await receive(body, limit: limit, in: path)
      let (length, bytes) = try await decoded(in: path)
      let backing = Backing(id: id, room: room, title: title, length: SamplePosition(length), addedAt: now)
      let note = BackingFile.Note(backing: backing, bytes: bytes)
      let recordings = recordings
      try await NIOThreadPool.singleton.runIfActive {
        try note.write(BackingFile.noteName, in: TakeFolder(existing: path, in: recordings))
      }
      state.withLock { $0.notes[id] = note }
      logger.info("added a backing track", metadata: ["room": "\(room)", "backing": "\(id)"])
      await broker.backingsChanged(in: room)
      return backing
    } catch {
      let recordings = recordings
      try? await NIOThreadPool.singleton.runIfActive { try TakeFolder.delete(path, in: recordings) }
      if error is CancellationError { throw Backings.stopping }
      if let problem = error as? FileProblem, problem.isDiskFull {
        throw Problem.noRoom("the disk is full; free some space, then send the file again")
      }
      throw error
    }
  }

  private static let stopping = RoomRefusal(.unavailable, "the service is stopping; send the file again in a moment")

  /// Takes a place among the room's backing tracks.
  private func takePlace(in room: RoomName) async throws {
    let isFree = try state.withLock { state throws(RoomRefusal) -> Bool in
      guard !state.isStopping else { throw Backings.stopping }
      let present = state.notes.values.count { $0.backing.room == room }
      let pending = state.pending[room] ?? 0
      guard present + pending < Backings.perRoom else { return false }
      state.pending[room] = pending + 1
      return true
    }
    guard isFree else {
      throw Problem(
        .conflict, "too-many", "There are too many",
        "\(room) has \(Backings.perRoom) backing tracks, the most that there may be; delete one that is not needed",
        members: ["limit": .integer(Int64(Backings.perRoom))])
    }
    do {
      try await broker.usage.check(room, others: bytes(of: room))
    } catch {
      giveUpPlace(in: room)
      throw error
    }
  }

  private func giveUpPlace(in room: RoomName) {
    state.withLock { state in
      let pending = (state.pending[room] ?? 1) - 1
      // Anybody may think of names of rooms.
      state.pending[room] = pending > 0 ? pending : nil
    }
  }

  private func receive(_ body: RequestBody, limit: Int, in path: String) async throws {
    let (recordings, reserve) = (recordings, reserve)
    let upload = try await NIOThreadPool.singleton.runIfActive {
      try reserve.check(for: 0)
      return try BackingUpload(in: TakeFolder.obtain(path, in: recordings))
    }
    var received = 0
    var piece: [UInt8] = []
    for try await buffer in body {
      received += buffer.readableBytes
      guard received <= limit else { throw Problem.tooLarge("a backing track", limit: limit) }
      piece += buffer.readableBytesView
      guard piece.count >= Backings.piece else { continue }
      let full = piece
      piece = []
      try await NIOThreadPool.singleton.runIfActive {
        try reserve.check(for: Int64(full.count))
        try upload.append(full)
      }
    }
    let rest = piece
    try await NIOThreadPool.singleton.runIfActive { try upload.append(rest) }
  }

  private func decoded(in path: String) async throws -> (length: Int64, bytes: Int64) {
    let result: JobResult
    do {
      result = try await decode(in: path)
    } catch is WorkerProcess.Loss {
      throw Backings.problem(.broken)
    }
    switch result {
    case .backing(let length, let bytes): return (length, bytes)
    case .backingRefused(let refusal): throw Backings.problem(refusal)
    default: throw JobRunner.WrongResult()
    }
  }

  private static func problem(_ refusal: BackingRefusal) -> Problem {
    Problem(.unprocessableContent, "unusable-sound", "The file cannot be a backing track", refusal.description)
  }
}
