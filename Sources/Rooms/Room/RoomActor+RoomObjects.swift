import Machines
import Music
import Realtime
import Recording
import Signaling

/// The room's state as shared objects, readable in every dialect: `roster`, `take` and `levels`. They exist only
/// while somebody uses them.
extension RoomActor {
  /// Creates one of the room's own objects if necessary; false for all other names.
  @discardableResult
  func provideRoomObject(_ object: SharedObjectName) -> Bool {
    let slots: [SharedObjectEvent.Slot]
    switch object {
    case .roster: slots = members.map { RoomObjects.slot(of: $0.snapshot(at: MonotonicClock.now)) }
    case .take: slots = RoomObjects.slots(of: takes.rolling.flatMap(rollingTake(of:)))
    case .levels: slots = []
    default: return false
    }
    shared.provide(object, slots)
    return true
  }

  /// Keeps `roster` and `take` consistent with the events sent to members.
  func reflect(_ event: RoomEvent) {
    guard shared.isOpen else { return }
    switch event {
    case .joined(let member), .changed(let member):
      let slot = RoomObjects.slot(of: member)
      reflect(.roster, [.set(slot.key, slot.value)])
    case .left(let participant): reflect(.roster, [.remove(participant.description)])
    case .takeStarted(let take): reflect(.take, to: RoomObjects.slots(of: take))
    case .takeStopped(_, let next, _): reflect(.take, to: RoomObjects.slots(of: next))
    default: break
    }
  }

  /// Updates the levels ten times per second while somebody uses them.
  func reflectLevels(at now: MonotonicTime) {
    guard let found = shared.takeLevels(at: now) else { return }
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

  private func reflect(_ object: SharedObjectName, to slots: [SharedObjectEvent.Slot]) {
    if let step = shared.reflect(object, to: slots) { carryOut(step, writer: nil) }
  }

  private func reflect(_ object: SharedObjectName, _ changes: [SharedChange]) {
    if let step = shared.reflect(object, changes) { carryOut(step, writer: nil) }
  }
}
