/// An event with its place in the order of all events.
package struct NumberedEvent: Hashable, Sendable {
  package var id: EventID
  package var event: ServiceEvent

  package init(id: EventID, event: ServiceEvent) {
    self.id = id
    self.event = event
  }
}
