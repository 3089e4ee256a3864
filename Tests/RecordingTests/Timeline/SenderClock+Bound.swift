@testable import Recording

extension SenderClock {
  /// The bound of what is rendered now, which is some seconds behind.
  var errorBound: Double { errorBound(atMedia: (history.recent.last?.point.media ?? 0) - 3) }
}
