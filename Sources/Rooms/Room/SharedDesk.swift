import Machines
import Music
import Realtime
import Recording
import Signaling

/// The shared objects of one room, and the levels that feed one of them; both cost nothing until used.
struct SharedDesk {
  /// The shared state; nil until an object is requested.
  private var state: SharedState?
  /// The musicians' recent levels; nil while `levels` is unused.
  private var levels: LevelWindow?

  var isOpen: Bool { state != nil }
  var objects: [(object: SharedObject, users: Int)] { state?.objects ?? [] }

  subscript(name: SharedObjectName) -> SharedObject? { state?[name] }

  func userCount(of name: SharedObjectName) -> Int { state?.userCount(of: name) ?? 0 }

  func link(of participant: ParticipantID, to name: SharedObjectName) -> UInt64? {
    state?.link(of: participant, to: name)
  }

  /// Adopts the state on disk; objects opened in the meantime stay as they are.
  mutating func open(_ objects: [SharedObject], policy: SharedObjectPolicy) {
    if state == nil { state = SharedState(policy: policy, restoring: objects) }
  }

  /// Performs one step on the open state.
  mutating func step(
    _ body: (inout SharedState) throws(RoomRefusal) -> SharedStateStep
  ) throws(RoomRefusal) -> SharedStateStep {
    // Unreachable: it was opened just before.
    guard var open = state.take() else {
      throw RoomRefusal(.unavailable, "the shared objects are not there yet; try again")
    }
    defer { state = open }
    return try body(&open)
  }

  mutating func release(
    _ object: SharedObjectName, by participant: ParticipantID
  ) throws(RoomRefusal) -> SharedObjectRecord? {
    guard state != nil else {
      throw RoomRefusal(.unknownObject, "you do not use \"\(object)\"; there is nothing to release")
    }
    defer { stopMeasuringIfUnused() }
    return try state?.release(object, by: participant)
  }

  /// Removes a member, and everything used by no one else.
  mutating func releaseAll(of participant: ParticipantID) -> [SharedObjectRecord] {
    defer { stopMeasuringIfUnused() }
    return state?.releaseAll(of: participant) ?? []
  }

  // MARK: The room's own objects

  mutating func provide(_ object: SharedObjectName, _ slots: [SharedObjectEvent.Slot]) {
    if object == .levels, levels == nil { levels = LevelWindow(at: MonotonicClock.now) }
    state?.provide(object, slots)
  }

  /// Forgets objects that were only read.
  mutating func withdrawUnused() {
    for name in SharedObjectName.ofTheRoom { state?.withdraw(name) }
    stopMeasuringIfUnused()
  }

  mutating func reflect(_ object: SharedObjectName, _ changes: [SharedChange]) -> SharedStateStep? {
    state?.reflect(object, changes)
  }

  /// Replaces all slots of an object.
  mutating func reflect(_ object: SharedObjectName, to slots: [SharedObjectEvent.Slot]) -> SharedStateStep? {
    let kept = Set(slots.map(\.key))
    let gone = (self[object]?.slots ?? []).filter { !kept.contains($0.key) }
    return reflect(object, gone.map { .remove($0.key) } + slots.map { .set($0.key, $0.value) })
  }

  mutating func note(_ packet: ReceivedPacket, of participant: ParticipantID, extensionID: UInt8?) {
    levels?.note(packet, of: participant, extensionID: extensionID)
  }

  /// The levels since the last call, in dB below full scale; nil if they are unused, or it is too early.
  mutating func takeLevels(at now: MonotonicTime) -> [ParticipantID: UInt8]? { levels?.take(at: now) }

  private mutating func stopMeasuringIfUnused() {
    if levels != nil, userCount(of: .levels) == 0 { levels = nil }
  }
}
