import Music

/// The name under which a bot comes in: after "Jamjar" was taken, "Jamjar 2". The place of a link that was lost keeps its
/// name for a while.
struct GuestName: Sendable {
  /// Most names that are tried.
  private static let most = 4

  private let base: DisplayName
  private(set) var present: DisplayName
  private var count = 1

  init(_ base: DisplayName) {
    self.base = base
    present = base
  }

  /// Goes on to the next name; false after several, or where there is no room for a number.
  mutating func advance() -> Bool {
    guard count < GuestName.most, let next = DisplayName("\(base) \(count + 1)") else { return false }
    count += 1
    present = next
    return true
  }
}
