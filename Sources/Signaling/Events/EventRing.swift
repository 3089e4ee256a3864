// Arithmetic in this file is in range: a place is compared with `last` first, which counts events since the start.

/// The latest events, numbered, in bounded memory: read again after a lost connection.
///
/// Readers keep their own position, the number of the last event they saw. A reader so far behind that events were
/// overwritten is informed and restarts; no state is kept for readers.
///
/// ```swift
/// switch ring.place(of: lastEventID) {
/// case .success(let place): send(ring.read(after: place, limit: 100))
/// case .failure(let error): restart(error)
/// }
/// ```
package struct EventRing: Sendable {
  /// The reason why a reader cannot continue from its position.
  package enum Loss: String, Hashable, Sendable {
    /// The identifier belongs to another run of the service.
    case restarted
    /// The events after it are no longer available.
    case tooOld = "too-old"
    /// The identifier did not come from this service.
    case unknown
  }

  /// The events after a position.
  package struct Reading: Hashable, Sendable {
    package var events: [NumberedEvent]
    /// True if events before the first of these are missing.
    package var isBroken: Bool
    /// The position for the next read.
    package var place: UInt64
  }

  package let epoch: String
  private let capacity: Int
  private var events: [NumberedEvent] = []
  /// The number of the latest event; 0 before the first.
  package private(set) var last: UInt64 = 0
  /// The number of the latest edit in the data folder's log; nil without a log.
  private var lastEdit: UInt64?
  /// The same at the ring's beginning.
  private var firstEdit: UInt64?

  /// - Parameters:
  ///   - epoch: identifies this run of the service; letters and digits.
  ///   - capacity: number of events kept.
  package init(epoch: String, capacity: Int) {
    self.epoch = epoch
    self.capacity = max(1, capacity)
  }

  /// The identifier of the latest event.
  package var position: EventID { EventID(epoch: epoch, number: last, edit: lastEdit) }

  /// The number of the oldest event kept; one more than `last` if there is none.
  private var oldest: UInt64 { last - UInt64(events.count) + 1 }

  /// Numbers edits from the one after `edit` on; events from before remain without.
  package mutating func begin(atEdit edit: UInt64) {
    (firstEdit, lastEdit) = (edit, edit)
  }

  /// The identifier of the event at `place`.
  package func id(of place: UInt64) -> EventID {
    if place == last { return position }
    if place == 0 { return EventID(epoch: epoch, number: 0, edit: firstEdit) }
    guard place >= oldest, place < last else { return EventID(epoch: epoch, number: place) }
    return events[slot(of: place)].id
  }

  /// Adds an event, replacing the oldest if the ring is full.
  /// - Parameter edit: the number of an edit in the data folder's log; nil for other events.
  @discardableResult
  package mutating func append(_ event: ServiceEvent, edit: UInt64? = nil) -> NumberedEvent {
    last += 1
    lastEdit = edit ?? lastEdit
    let numbered = NumberedEvent(id: position, event: event, edit: edit)
    if events.count < capacity {
      events.append(numbered)
    } else {
      events[slot(of: last)] = numbered
    }
    return numbered
  }

  /// The position of the event named by `text`, or the reason why reading cannot continue from it.
  package func place(of text: String) -> Result<UInt64, LossError> {
    guard let id = EventID(text) else { return .failure(LossError(.unknown)) }
    guard id.epoch == epoch else { return .failure(LossError(.restarted)) }
    guard id.number <= last else { return .failure(LossError(.unknown)) }
    guard id.number + 1 >= oldest else { return .failure(LossError(.tooOld)) }
    return .success(id.number)
  }

  /// Returns up to `limit` events after `place`.
  package func read(after place: UInt64, limit: Int) -> Reading {
    guard place < last else { return Reading(events: [], isBroken: false, place: last) }
    let first = max(place + 1, oldest)
    let end = min(last, first + UInt64(max(1, limit)) - 1)
    return Reading(
      events: (first...end).map { events[slot(of: $0)] }, isBroken: first > place + 1, place: end)
  }

  private func slot(of number: UInt64) -> Int { Int((number - 1) % UInt64(capacity)) }

  /// A `Loss` as an error.
  package struct LossError: Error, Hashable, Sendable {
    package var loss: Loss

    init(_ loss: Loss) {
      self.loss = loss
    }
  }
}
