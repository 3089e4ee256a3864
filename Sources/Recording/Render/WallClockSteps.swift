import Music

/// Finds steps of the recorder's wall clock in the anchors of a journal.
///
/// Nothing is placed by wall time: a step explains only why a take's times of day do not fit its length.
struct WallClockSteps: Sendable, Codable {
  /// Smaller differences between two anchors are the clock's discipline, in seconds.
  private static let least = 1.0
  /// Most steps listed; a journal from elsewhere may hold any number.
  private static let most = 20

  /// Wall time at the take's zero by the last anchor, in seconds since 1970.
  private var origin: Double?
  private(set) var notes: [String] = []

  /// - Parameter time: seconds from the take's zero.
  mutating func note(_ wall: WallTime, at time: Double) {
    let new = Double(wall.milliseconds) / 1e3 - time
    defer { origin = new }
    guard let origin, abs(new - origin) >= WallClockSteps.least, notes.count < WallClockSteps.most else { return }
    func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
    notes.append(
      "the recorder's wall clock was set \(new > origin ? "forward" : "back") by \(rounded(abs(new - origin))) s before "
        + "\(rounded(time)) s; the take is not affected")
  }
}
