import Machines

/// The guests of a visit and where each of them stands; decides when one who was lost is invited again.
struct GuestList: Sendable {
  /// Most guests followed at a time: a foreign server must not fill our memory.
  static let maximum = 64
  /// Longest identifier, in bytes; somebody with a longer one is not followed.
  static let longestKey = 256
  /// Longest name that is kept, in characters.
  static let longestName = 128
  /// Time until a guest without a seat or media is invited again: at first, and after several losses.
  static let pause = MonotonicTime.Span.seconds(5)
  static let longestPause = MonotonicTime.Span.seconds(30)
  /// A guest who was not lost for so long starts from the first pause again.
  static let forgiven = MonotonicTime.Span.seconds(90)
  /// Time for the server to answer what concerns one guest.
  static let patience = MonotonicTime.Span.seconds(15)

  struct Guest: Sendable {
    var name: String
    /// When to invite again; nil while invited.
    var retry: MonotonicTime?
    /// By when the server must have answered; nil while nothing is awaited.
    var answerDue: MonotonicTime?
    fileprivate var losses = 0
    fileprivate var lostAt: MonotonicTime?

    fileprivate init(name: String) { self.name = name }
  }

  private var guests: [GuestKey: Guest] = [:]

  var isEmpty: Bool { guests.isEmpty }

  subscript(key: GuestKey) -> Guest? { guests[key] }

  /// Adds somebody who is heard; false if they are known already, if there are too many, or for an identifier that is
  /// none.
  mutating func add(_ key: GuestKey, name: String) -> Bool {
    guard guests[key] == nil, guests.count < GuestList.maximum, key.isPlausible else { return false }
    guests[key] = Guest(name: String(name.prefix(GuestList.longestName)))
    return true
  }

  /// Forgets a guest; false if there was none.
  mutating func remove(_ key: GuestKey) -> Bool { guests.removeValue(forKey: key) != nil }

  /// Notes that a guest has no connection; false if nobody like that is known, or if it is known already.
  mutating func lose(_ key: GuestKey, at now: MonotonicTime) -> Bool {
    guard var guest = guests[key], guest.retry == nil else { return false }
    if let lostAt = guest.lostAt, now - lostAt >= GuestList.forgiven { guest.losses = 0 }
    guest.losses = min(guest.losses &+ 1, 8)
    guest.lostAt = now
    guest.answerDue = nil
    guest.retry = now + min(GuestList.pause * (1 << Int64(guest.losses &- 1)), GuestList.longestPause)
    guests[key] = guest
    return true
  }

  /// Notes a request about a guest that the server has to answer.
  mutating func asked(_ key: GuestKey, at now: MonotonicTime) { guests[key]?.answerDue = now + GuestList.patience }

  /// Notes the answer.
  mutating func answered(_ key: GuestKey) { guests[key]?.answerDue = nil }

  /// Notes that a guest has come up again by themselves: nothing is awaited, and nobody has to be invited.
  mutating func met(_ key: GuestKey) {
    guests[key]?.retry = nil
    guests[key]?.answerDue = nil
  }

  /// When the next guest is due to be invited again, or given up.
  var deadline: MonotonicTime? { guests.values.flatMap { [$0.retry, $0.answerDue] }.compactMap { $0 }.min() }

  /// The guests to invite again now.
  mutating func due(at now: MonotonicTime) -> [(key: GuestKey, name: String)] {
    let due = guests.filter { $0.value.retry.map { $0 <= now } ?? false }
    for key in due.keys { guests[key]?.retry = nil }
    return due.map { ($0.key, $0.value.name) }.sorted { $0.0.description < $1.0.description }
  }

  /// The guests about whom the server does not answer.
  func overdue(at now: MonotonicTime) -> [GuestKey] {
    guests.filter { $0.value.answerDue.map { $0 <= now } ?? false }.keys.sorted { $0.description < $1.description }
  }
}

extension GuestKey {
  /// Whether a server may call somebody that.
  var isPlausible: Bool { (1...GuestList.longestKey).contains(description.utf8.count) }
}
