import Glibc
import Synchronization

@testable import Recording

/// A disk in memory that can fill up, fail, and lose its power.
///
/// What was not synced when the power goes survives by sectors: each is there, or full of zeros, and the file's length
/// may be anything from the synced one up, as on a real disk with a write cache.
final class SimulatedDisk: JournalStorage {
  struct State {
    var bytes: [UInt8] = []
    var syncedLength = 0
    var capacity = Int.max
    /// Counts down with every append and sync; at zero they fail once with `failure`.
    var operationsUntilFailure = Int.max
    var failure: Int32 = EIO
    var operations = 0
  }

  static let sector = 512
  let state = Mutex(State())

  init(_ bytes: [UInt8] = [], capacity: Int = .max) {
    state.withLock {
      $0.bytes = bytes
      $0.syncedLength = bytes.count
      $0.capacity = capacity
    }
  }

  var contents: [UInt8] { state.withLock { $0.bytes } }
  var syncedLength: Int { state.withLock { $0.syncedLength } }

  func failOperation(_ number: Int, with code: Int32) {
    state.withLock {
      $0.operationsUntilFailure = number
      $0.failure = code
    }
  }

  /// What is on the disk after a power cut.
  func afterPowerCut(using generator: inout some RandomNumberGenerator) -> SimulatedDisk {
    let (bytes, synced) = state.withLock { ($0.bytes, $0.syncedLength) }
    var survived = Array(bytes.prefix(Int.random(in: synced...bytes.count, using: &generator)))
    var start = synced
    while start < survived.count {
      let end = min(survived.count, (start / SimulatedDisk.sector + 1) * SimulatedDisk.sector)
      if Int.random(in: 0..<4, using: &generator) == 0 {
        for index in start..<end { survived[index] = 0 }
      }
      start = end
    }
    return SimulatedDisk(survived)
  }

  var isLinked: Bool { true }

  var size: Int64 { state.withLock { Int64($0.bytes.count) } }

  func append(_ bytes: [UInt8]) throws(FileProblem) {
    try operate(.write) { state in
      guard state.bytes.count + bytes.count <= state.capacity else { return ENOSPC }
      state.bytes += bytes
      return 0
    }
  }

  func sync() throws(FileProblem) {
    try operate(.sync) { state in
      state.syncedLength = state.bytes.count
      return 0
    }
  }

  func truncate(to size: Int64) throws(FileProblem) {
    try operate(.cut) { state in
      state.bytes.removeSubrange(min(Int(size), state.bytes.count)...)
      state.syncedLength = min(state.syncedLength, state.bytes.count)
      return 0
    }
  }

  func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] {
    state.withLock { Array($0.bytes.dropFirst(Int(offset)).prefix(count)) }
  }

  func reserve(_ bytes: Int64) throws(FileProblem) {
    try operate(.reserve) { Int64($0.bytes.count) + bytes <= Int64($0.capacity) ? 0 : ENOSPC }
  }

  func releaseReserve() throws(FileProblem) {}

  private func operate(_ operation: FileProblem.Operation, _ body: (inout State) -> Int32) throws(FileProblem) {
    let code = state.withLock { state in
      state.operations += 1
      state.operationsUntilFailure -= 1
      return state.operationsUntilFailure == 0 ? state.failure : body(&state)
    }
    if code != 0 { throw FileProblem(path: "simulated/take.journal", operation: operation, code: code) }
  }
}
