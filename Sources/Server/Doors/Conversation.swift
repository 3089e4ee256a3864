import Machines
import Recording
import Signaling

/// One session of any dialect: carries out what its machine wants, by the seat and the present links.
///
/// The machine's orders are carried out one after the other, in the order of the client's requests (a candidate after its
/// offer), and delay no events; slow commands run beside them. The dialect bounds the queue.
actor Conversation<Speaker: Dialect & ~Copyable, Place: Seat>: SignalingSession where Place.Words == Speaker.Words {
  typealias Words = Speaker.Words

  nonisolated let id: String
  private let seat: Place
  private let registry: SessionRegistry<Conversation>
  private var machine: SessionMachine<Speaker>
  /// The ways to the machine's links.
  private var outlets: [LinkNumber: any SessionOutlet] = [:]
  /// Of the letters that were told, and not seen to be written.
  private var receipts: [LetterNumber: TextReceipt] = [:]
  private var awaitingEnd: [@Sendable () -> Void] = []
  /// Counts the stays in rooms, and the times in between.
  private var era = 0
  private var alarm: Alarm?
  private nonisolated let orders: AsyncStream<SessionOrder<Words>>
  private nonisolated let line: AsyncStream<SessionOrder<Words>>.Continuation

  /// The one timer of the session.
  private struct Alarm {
    var time: MonotonicTime
    var task: Task<Void, Never>
  }

  /// Shortest sleep, so that no deadline costs more than a little.
  private static var shortestSleep: MonotonicTime.Span { .milliseconds(5) }

  init(
    id: String, _ speaker: consuming Speaker, _ seat: Place, in registry: SessionRegistry<Conversation>
  ) {
    self.id = id
    machine = SessionMachine(speaker, at: MonotonicClock.now)
    self.seat = seat
    self.registry = registry
    (orders, line) = AsyncStream.makeStream()
  }

  // MARK: Links

  func attach(_ outlet: any SessionOutlet) {
    admit(outlet)
    handle(.attached(outlet.number, isLasting: outlet.isLasting))
  }

  /// Continues over a link from another session, and responds to its request.
  /// - Returns: false if this session is over.
  func resume(_ outlet: any SessionOutlet, answering request: Words.Reconnection) -> Bool {
    guard !machine.isOver else { return false }
    outlet.move(to: self)
    admit(outlet)
    handle(.returned(outlet.number, isLasting: outlet.isLasting, request))
    return true
  }

  private func admit(_ outlet: any SessionOutlet) {
    outlets[outlet.number] = outlet
    guard !machine.isOver else { return }
    seat.link.move(to: outlet.origin)
    proveLinks()
  }

  func receive(_ text: String, from link: LinkNumber) { handle(.text(text, from: link)) }

  func unreadable(_ sentence: String, from link: LinkNumber) { handle(.unreadable(sentence, from: link)) }

  func linkLost(_ link: LinkNumber, isLeaving: Bool) {
    outlets[link] = nil
    handle(.lost(link, isLeaving: isLeaving))
  }

  /// What the client has proved counts for all its links: the session's identifier is as secret as a token.
  private func proveLinks() {
    guard let proof = seat.proof else { return }
    for outlet in outlets.values { outlet.prove(as: proof) }
  }

  func supersede() {
    seat.supersede()
    handle(.superseded)
  }

  func afterRoom(_ act: @escaping @Sendable () -> Void) {
    guard machine.isInRoom else { return act() }
    awaitingEnd.append(act)
  }

  private func roomIsOver() {
    for act in awaitingEnd { act() }
    awaitingEnd = []
  }

  // MARK: The machine

  private func handle(_ input: SessionInput<Words>) {
    let now = MonotonicClock.now
    look(at: now)
    machine.handle(input, at: now)
    drain()
  }

  /// Tells the machine what may have changed meanwhile.
  private func look(at now: MonotonicTime) {
    let facts = SeatFacts(isTaken: seat.isTaken, isProven: seat.proof != nil, gracePeriod: seat.gracePeriod)
    machine.handle(.seat(facts), at: now)
    for (letter, receipt) in receipts where receipt.isSigned {
      receipts[letter] = nil
      machine.handle(.written(letter), at: now)
    }
  }

  private func drain() {
    while let output = machine.next() {
      switch output {
      case .order(let order): line.yield(order)
      case .send(let text, let link, let letter): outlets[link]?.send(text, letter.map { receipt(of: $0) })
      case .close(let link, let code, let reason):
        outlets.removeValue(forKey: link)?.close(LinkClosing(code: code, reason: reason))
      case .roomIsOver: roomIsOver()
      case .end(let code, let reason): end(LinkClosing(code: code, reason: reason))
      }
    }
    setAlarm()
  }

  /// The same one for all texts of a letter.
  private func receipt(of letter: LetterNumber) -> TextReceipt {
    if let receipt = receipts[letter] { return receipt }
    receipts = receipts.filter { machine.isUnwritten($0.key) }
    let receipt = TextReceipt()
    receipts[letter] = receipt
    return receipt
  }

  private func end(_ closing: LinkClosing) {
    for outlet in outlets.values { outlet.close(closing) }
    outlets = [:]
    roomIsOver()
    line.finish()
  }

  // MARK: Time

  /// Sets the timer to the machine's deadline. One that rings earlier stays: it is set anew then.
  private func setAlarm() {
    guard let deadline = machine.deadline else {
      alarm?.task.cancel()
      alarm = nil
      return
    }
    if let alarm, alarm.time <= deadline { return }
    alarm?.task.cancel()
    let pause = max(deadline - MonotonicClock.now, Conversation.shortestSleep)
    let task = Task { [weak self] in
      guard (try? await Task.sleep(for: .nanoseconds(pause.nanoseconds))) != nil else { return }
      await self?.ring(deadline)
    }
    alarm = Alarm(time: deadline, task: task)
  }

  private func ring(_ time: MonotonicTime) {
    // Another one was set meanwhile.
    guard alarm?.time == time else { return }
    alarm = nil
    let now = MonotonicClock.now
    look(at: now)
    machine.advance(to: now)
    drain()
  }

  // MARK: Work

  func run() async {
    setAlarm()
    await withDiscardingTaskGroup { group in
      for stay in seat.standing { group.addTask { await self.follow(standing: stay) } }
      for await order in orders {
        if case .perform(_, let command) = order, Words.isSlow(command) {
          group.addTask { _ = await self.carryOut(order) }
          continue
        }
        if let stay = await carryOut(order) { group.addTask { await self.follow(stay) } }
      }
      group.cancelAll()
    }
    alarm?.task.cancel()
    look(at: MonotonicClock.now)
    let last = machine.farewell()
    await seat.finish(for: self, last)
  }

  /// Carries out an order of the machine; follows a new stay.
  private func carryOut(_ order: SessionOrder<Words>) async -> Place.Stay? {
    // The link of the request may have been replaced since.
    defer { proveLinks() }
    switch order {
    case .join(let ticket, let entry): return await join(ticket, entry)
    case .perform(let ticket, let command):
      do throws(Words.Refusal) {
        handle(.replied(ticket, try await seat.perform(command)))
      } catch {
        handle(.refused(ticket, error))
      }
    case .handOver(let link, let session, let request): await handOver(link, to: session, request)
    case .takeBack(let request, let link): return await takeBack(request, link)
    case .park: await park()
    }
    return nil
  }

  private func join(_ ticket: Words.Ticket, _ entry: Words.Entry) async -> Place.Stay? {
    do throws(Words.Refusal) {
      let (welcome, stay) = try await seat.enter(entry, for: self)
      handle(.joined(ticket, welcome))
      era += 1
      // The link may have been lost before.
      await park()
      return stay
    } catch {
      handle(.notJoined(ticket, error))
      return nil
    }
  }

  /// Leaves the seat in the room's care, unless the client has another link by now.
  private func park() async {
    look(at: MonotonicClock.now)
    guard let parting = machine.parting() else { return }
    era += 1
    await seat.park(for: self, parting)
  }

  private func handOver(_ link: LinkNumber, to session: String, _ request: Words.Reconnection) async {
    guard let other = registry.find(session), other !== self, let outlet = outlets[link],
      await other.resume(outlet, answering: request)
    else { return handle(.unknownSession(request, on: link)) }
    if outlets.removeValue(forKey: link) != nil { return handle(.handedOver(link)) }
    // It was lost on the way, and the other session was not told.
    await other.linkLost(link, isLeaving: false)
  }

  private func takeBack(_ request: Words.Reconnection, _ link: LinkNumber) async -> Place.Stay? {
    do throws(Words.Refusal) {
      let (scene, stay) = try await seat.takeBack(for: self)
      if stay != nil { era += 1 }
      handle(.tookBack(request, on: link, scene, beginsStay: stay != nil))
      return stay
    } catch {
      handle(.seatIsLost(request, on: link))
      return nil
    }
  }

  /// Follows a stay that `join` or `takeBack` began.
  private func follow(_ stay: Place.Stay) async {
    await follow(standing: stay)
    handle(.stayIsOver)
  }

  private func follow(standing stay: Place.Stay) async {
    let era = era
    await seat.follow(stay) { await self.hear($0, $1, of: era) }
  }

  /// An event that was on its way when the seat was left is the room's to tell.
  private func hear(_ event: Words.Event, _ number: UInt64?, of era: Int) {
    handle(.event(event, number: era == self.era ? number : nil))
  }
}
