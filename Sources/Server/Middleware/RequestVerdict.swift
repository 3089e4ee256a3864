import Synchronization

/// Whether a request was refused in a dialect's own words, where the status does not say so.
final class RequestVerdict: Sendable {
  private let refused = Atomic(false)

  var isRefused: Bool { refused.load(ordering: .relaxed) }

  func refuse() { refused.store(true, ordering: .relaxed) }
}
