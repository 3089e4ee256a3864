import Library
import Music
import Recording
import Signaling
import Synchronization

/// The topologies that owners have chosen for their rooms, across restarts; other rooms have that of the settings.
final class RoomTopologies: Sendable {
  /// Most rooms with a choice of their own.
  static let maximum = 10_000

  private let recordings: String
  private let standard: RoomPolicy.Topology
  private let ofName: @Sendable (RoomName) -> RoomPolicy.Topology?
  private let chosen: Mutex<[RoomName: RoomPolicy.Topology]>
  /// One write at a time; no thread of the pool waits for the disk.
  private let errands = DiskErrands()

  /// - Parameter ofName: the topology that a room's name stands for, unless its owner has chosen.
  /// - Throws: `FileProblem` if the file cannot be read.
  init(
    recordings: String, standard: RoomPolicy.Topology,
    ofName: @escaping @Sendable (RoomName) -> RoomPolicy.Topology? = { _ in nil }
  ) throws(FileProblem) {
    self.recordings = recordings
    self.standard = standard
    self.ofName = ofName
    chosen = Mutex(try RoomTopologies.existing(in: recordings)?.choices ?? [:])
  }

  private static func existing(in recordings: String) throws(FileProblem) -> TopologyFile? {
    let folder: TakeFolder
    do throws(FileProblem) {
      folder = try TakeFolder(existing: TopologyFile.folder, in: recordings)
    } catch  where error.isMissing {
      return nil
    }
    return try TopologyFile.read(TopologyFile.name, in: folder)
  }

  func topology(of room: RoomName) -> RoomPolicy.Topology { chosen.withLock { $0[room] } ?? unchosen(room) }

  /// The topology of a room whose owner has chosen none.
  private func unchosen(_ room: RoomName) -> RoomPolicy.Topology { ofName(room) ?? standard }

  /// Keeps a choice; returns once it is on disk.
  /// - Throws: `RoomRefusal` `.tooMany`; `.storage` if it cannot be written, and then nothing has changed.
  func choose(_ topology: RoomPolicy.Topology, in room: RoomName) async throws(RoomRefusal) {
    guard self.topology(of: room) != topology else { return }
    let refusal: RoomRefusal?
    do throws(FileProblem) {
      refusal = try await errands.run { [self] in write(topology, of: room) }
    } catch {
      refusal = RoomTopologies.unwritten(error)
    }
    if let refusal { throw refusal }
  }

  private static func unwritten(_ error: any Error) -> RoomRefusal {
    RoomRefusal(.storage, "the room's topology cannot be written down: \(error)")
  }

  /// The refusal, if it could not be written.
  private func write(_ topology: RoomPolicy.Topology, of room: RoomName) -> RoomRefusal? {
    var next = chosen.withLock { $0 }
    // The settings' own is no choice to keep: a room follows them again.
    next[room] = topology == unchosen(room) ? nil : topology
    guard next.count <= RoomTopologies.maximum else {
      return RoomRefusal(.tooMany, "\(RoomTopologies.maximum) rooms have a topology of their own already, the most")
    }
    do {
      try TopologyFile(next).write(TopologyFile.name, in: try TakeFolder.obtain(TopologyFile.folder, in: recordings))
    } catch {
      return RoomTopologies.unwritten(error)
    }
    chosen.withLock { $0 = next }
    return nil
  }
}

/// The file of the rooms' topologies: `_service/topologies.json`.
struct TopologyFile: Sidecar, Hashable {
  static let currentVersion = 1
  static let isPrivate = true
  static let folder = "_service"
  static let name = "topologies.json"

  var version = TopologyFile.currentVersion
  var rooms: [String: RoomPolicy.Topology]

  init(_ choices: [RoomName: RoomPolicy.Topology]) {
    rooms = [:]
    for (room, topology) in choices { rooms[room.description] = topology }
  }

  /// - Throws: `ValueProblem` for a name that no room can have.
  func check() throws(ValueProblem) {
    for room in rooms.keys where RoomName(room) == nil {
      throw ValueProblem("rooms", room, "names of rooms")
    }
  }

  var choices: [RoomName: RoomPolicy.Topology] {
    var choices: [RoomName: RoomPolicy.Topology] = [:]
    for (room, topology) in rooms { if let room = RoomName(room) { choices[room] = topology } }
    return choices
  }
}
