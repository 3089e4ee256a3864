import Dispatch
import Library
import Machines
import Music
import Recording
import Signaling
import Synchronization

/// Measures the disk space of rooms and compares it with the quota.
package final class RoomUsage: Sendable {
  private struct Reading {
    var bytes: Int64
    var expiry: MonotonicTime
  }

  /// A reading is good for so many times as long as it took: measuring costs a hundredth of the time at most.
  private static let validity: Int64 = 100
  private static let longestValidity = MonotonicTime.Span.seconds(60)
  /// Longest wait for a reading. The start of a take waits for no slow disk.
  private static let patience = MonotonicTime.Span.milliseconds(100)

  /// Most bytes of a room's takes and backups together, with the trash; nil for no limit.
  package let limit: Int64?
  private let root: String
  private let readings = Mutex<[RoomName: Reading]>([:])
  /// Reads folders, one room after the other: a disk that hangs holds this thread only.
  private let queue = DispatchQueue(label: "room-usage", qos: .utility)

  init(limit: Int64?, recordings root: String) {
    self.limit = limit
    self.root = root
  }

  /// Bytes of the room's takes with their backups, the rolling one and those in the trash too. If the disk does not say
  /// in time, those of the last reading; nil without one.
  private func bytes(of room: RoomName) async -> Int64? {
    if let bytes = reading(of: room, at: MonotonicClock.now) { return bytes }
    let measured = await Deadline.wait(RoomUsage.patience) { done in
      queue.async { [self] in done(measure(room)) }
    }
    return measured ?? readings.withLock { $0[room]?.bytes }
  }

  private func reading(of room: RoomName, at now: MonotonicTime) -> Int64? {
    readings.withLock { readings in readings[room].flatMap { $0.expiry > now ? $0.bytes : nil } }
  }

  private func measure(_ room: RoomName) -> Int64 {
    let start = MonotonicClock.now
    // Another check may have asked for the same before.
    if let bytes = reading(of: room, at: start) { return bytes }
    // What cannot be measured is not refused for its size.
    let taken = (try? TakeFolder.bytes(of: room, in: root)) ?? 0
    let bin = (try? TakeFolder.bytes(of: room, inTrash: Library.trash, in: root)) ?? 0
    let bytes = taken.addingReportingOverflow(bin).partialValue
    let now = MonotonicClock.now
    let validity = min((now - start) * RoomUsage.validity, RoomUsage.longestValidity)
    readings.withLock { readings in
      readings = readings.filter { $0.value.expiry > now }
      readings[room] = Reading(bytes: bytes, expiry: now + validity)
    }
    return bytes
  }

  /// Checks whether a room may store more; it may as long as the disk has never said how much there is.
  /// - Parameter others: bytes of the room that are elsewhere.
  /// - Throws: `RoomRefusal` `.storage` if its quota is used up.
  package func check(_ room: RoomName, others: Int64 = 0) async throws(RoomRefusal) {
    guard let limit else { return }
    guard let used = await bytes(of: room), used >= limit - min(max(0, others), limit) else { return }
    throw RoomRefusal(
      .storage,
      "\(room) has used \((used + max(0, others)) >> 20) MiB of its \(limit >> 20) MiB on this service; delete takes (and "
        + "empty the trash), or ask the operator for more room")
  }
}
