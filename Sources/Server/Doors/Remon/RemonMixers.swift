import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The instances of Remote Monster's mixer: names for a room's live mix, for as long as somebody asks for them.
final class RemonMixers: Sendable {
  private struct Instance {
    var room: RoomName
    var ident: String
    var lease: MonotonicTime
    /// Counts it until it is over.
    let hold: QuotaHold
  }

  /// Twice the interval at which owners say that they still want it.
  private static let life = MonotonicTime.Span.seconds(120)

  private let instances = Mutex<[String: Instance]>([:])

  /// Ends the instances that nobody has asked for any more, so that they count no longer.
  func sweep(at now: MonotonicTime) {
    let over = instances.withLock { instances in
      let over = instances.filter { $0.value.lease <= now }
      for id in over.keys { instances[id] = nil }
      return over.values.map(\.hold)
    }
    for hold in over { hold.release() }
  }

  func make(of room: RoomName, for ident: String, _ hold: QuotaHold, at now: MonotonicTime) -> String {
    let id = "mix\(ParticipantID(at: MonotonicClock.wall))"
    instances.withLock {
      $0[id] = Instance(room: room, ident: ident, lease: now + RemonMixers.life, hold: hold)
    }
    return id
  }

  /// Renews an instance, with another room if one is given; false if there is none of that owner.
  func renew(_ id: String, room: RoomName?, for ident: String, at now: MonotonicTime) -> Bool {
    instances.withLock { instances in
      guard let instance = instances[id], instance.ident == ident, instance.lease > now else { return false }
      instances[id]?.lease = now + RemonMixers.life
      if let room { instances[id]?.room = room }
      return true
    }
  }

  func remove(_ id: String, for ident: String) -> Bool {
    instances.withLock { instances in
      guard instances[id]?.ident == ident else { return false }
      instances[id] = nil
      return true
    }
  }

  func room(of id: String, at now: MonotonicTime) -> RoomName? {
    instances.withLock { instances in instances[id].flatMap { $0.lease > now ? $0.room : nil } }
  }
}
