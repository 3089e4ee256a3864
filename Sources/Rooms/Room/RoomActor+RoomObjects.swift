import Machines
import Music
import Realtime
import Recording
import Signaling

/// What every dialect can read of the room as shared objects: `roster`, `take` and `levels`. They are there while
/// somebody uses them, and cost nothing before.
extension RoomActor {
  /// Makes one of the room's own objects where it is not there; false for all other names.
  @discardableResult
  func provideRoomObject(_ object: SharedObjectName) -> Bool {
    let slots: [SharedObjectEvent.Slot]
    switch object {
    case .roster: slots = members.map { RoomObjects.slot(of: $0.snapshot(at: MonotonicClock.now)) }
    case .take: slots = RoomObjects.slots(of: capture.flatMap(rollingTake(of:)))
    case .levels:
      slots = []
      if levels == nil { levels = LevelWindow(at: MonotonicClock.now) }
    default: return false
    }
    sharedState?.provide(object, slots)
    return true
  }

  /// Keeps `roster` and `take` as true as what the members are told.
  func reflect(_ event: RoomEvent) {
    guard sharedState != nil else { return }
    switch event {
    case .joined(let member), .changed(let member):
      let slot = RoomObjects.slot(of: member)
      reflect(.roster, [.set(slot.key, slot.value)])
    case .left(let participant): reflect(.roster, [.remove(participant.description)])
    case .takeStarted(let take): reflect(.take, to: RoomObjects.slots(of: take))
    case .takeStopped(_, let next): reflect(.take, to: RoomObjects.slots(of: next))
    default: break
    }
  }

  /// Says ten times a second how loud everybody plays, while somebody wants to know.
  func reflectLevels(at now: MonotonicTime) {
    guard let found = levels?.take(at: now) else { return }
    var slots: [SharedObjectEvent.Slot] = []
    for member in members {
      guard let publication = member.publication, publication.isAlive(at: now), publication.hasAudio,
        publication.peer.incoming?.extensions.audioLevel != nil
      else { continue }
      let level = found[member.participant.id] ?? LevelWindow.silence
      slots.append(.init(member.participant.id.description, .number(-Double(level))))
    }
    reflect(.levels, to: slots)
  }

  /// Forgets the room's own objects that were only looked at.
  func withdrawRoomObjects() {
    for name in SharedObjectName.ofTheRoom { sharedState?.withdraw(name) }
    stopMeasuringIfUnused()
  }

  func stopMeasuringIfUnused() {
    if levels != nil, sharedState?.userCount(of: .levels) ?? 0 == 0 { levels = nil }
  }

  private func reflect(_ object: SharedObjectName, to slots: [SharedObjectEvent.Slot]) {
    let kept = Set(slots.map(\.key))
    let gone = (sharedState?[object]?.slots ?? []).filter { !kept.contains($0.key) }
    reflect(object, gone.map { .remove($0.key) } + slots.map { .set($0.key, $0.value) })
  }

  private func reflect(_ object: SharedObjectName, _ changes: [SharedChange]) {
    if let step = sharedState?.reflect(object, changes) { carryOut(step, writer: nil) }
  }
}
