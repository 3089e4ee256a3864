import Music
import Signaling

/// Whose sources and sinks these are: one Kurento Tree session. They are released with it.
package struct TreeOwner: Sendable {
  package let id: String
  /// Told of the candidates of this owner's sources and sinks.
  package let onEvent: @Sendable (TreeEvent) -> Void

  package init(id: String, onEvent: @escaping @Sendable (TreeEvent) -> Void) {
    self.id = id
    self.onEvent = onEvent
  }
}
