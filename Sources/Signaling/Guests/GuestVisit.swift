import Machines

/// What every visit keeps, whatever the other server's protocol: the guests, the signs of life, and what is to be done.
package struct GuestVisit: Sendable {
  var guests = GuestList()
  private(set) var isOver = false
  private var watch = LinkWatch()
  private var outputs = OutputQueue<GuestOutput>()

  package init() {}

  var deadline: MonotonicTime? {
    guard !isOver else { return nil }
    return [watch.deadline, guests.deadline].compactMap { $0 }.min()
  }

  mutating func next() -> GuestOutput? { outputs.next() }

  mutating func append(_ output: GuestOutput) { outputs.append(output) }

  // MARK: The link

  /// False if the visit is over, if only because the server has kept silent for too long.
  mutating func goesOn(at now: MonotonicTime) -> Bool {
    if !isOver, watch.isSilent(at: now) { end(.silent) }
    return !isOver
  }

  /// True if a sign of life is due.
  func isSignDue(at now: MonotonicTime) -> Bool { watch.isSignDue(at: now) }

  /// Notes that the server has said something.
  mutating func heard(at now: MonotonicTime) { watch.heard(at: now) }

  /// Notes that something is sent that the server has to answer.
  mutating func asked(at now: MonotonicTime) { watch.asked(at: now) }

  /// Notes a sign of life that no text answers.
  mutating func signed(at now: MonotonicTime) { watch.signed(at: now) }

  /// Sends a text that the server has to answer.
  mutating func send(_ text: String, at now: MonotonicTime) {
    asked(at: now)
    append(.send(text))
  }

  mutating func end(_ fault: GuestFault) {
    isOver = true
    append(.over(fault))
  }

  // MARK: Guests

  /// Invites somebody who is heard now, unless they are known already.
  mutating func came(_ key: GuestKey, name: String) {
    if guests.add(key, name: name) { append(.invited(key, name: name)) }
  }

  /// Passes on the answer to our offer.
  mutating func answered(_ key: GuestKey, sdp: String) {
    guests.answered(key)
    append(.answered(key, sdp: sdp))
  }

  /// Lets go of somebody who is no longer heard.
  mutating func left(_ key: GuestKey) {
    if guests.remove(key) { append(.left(key)) }
  }

  /// Lets go of a guest's connection; they are invited again in a while.
  mutating func lost(_ key: GuestKey, at now: MonotonicTime) {
    if guests.lose(key, at: now) { append(.lost(key)) }
  }
}

extension GuestMachine where Self: ~Copyable {
  package var deadline: MonotonicTime? { visit.deadline }

  package mutating func next() -> GuestOutput? { visit.next() }

  package mutating func advance(to now: MonotonicTime) {
    guard visit.goesOn(at: now) else { return }
    if visit.isSignDue(at: now) { giveSign(at: now) }
    for key in visit.guests.overdue(at: now) { lose(key, at: now) }
    for (key, name) in visit.guests.due(at: now) { invite(key, name: name, at: now) }
  }

  package mutating func lose(_ key: GuestKey, at now: MonotonicTime) { visit.lost(key, at: now) }

  package mutating func invite(_ key: GuestKey, name: String, at now: MonotonicTime) {
    visit.append(.invited(key, name: name))
  }
}
