import Client
import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// A visit over a link of texts: pumps a machine between the other server and the room here.
extension Bot {
  /// How often a visit looks at the time, besides what happens.
  private static let look = Duration.milliseconds(500)
  /// Time for the last texts to leave.
  private static let goodbye = MonotonicTime.Span.seconds(2)
  /// Time for the server to let the bot in, whatever else it says meanwhile.
  private static let joining = MonotonicTime.Span.seconds(40)
  /// Most texts that wait for the server to read them.
  private static let outbox = 1_024

  /// Talks until either side ends it.
  func converse(_ machine: consuming some GuestMachine & ~Copyable, over link: any BotLink) async -> GuestFault {
    var machine = machine
    let signals = openSignals()
    let (texts, outgoing) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(Bot.outbox))
    guard let sink = self.signals else { return .left }
    // Both end with this visit.
    let linking = Task { () -> Void in
      let fault = await Bot.carry(link, texts, sink)
      sink.yield(.ended(fault))
    }
    let ticking = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: Bot.look)
        sink.yield(.tick)
      }
    }
    var fault: GuestFault?
    let began = MonotonicClock.now
    for await signal in signals {
      let now = MonotonicClock.now
      switch signal {
      case .opened: machine.begin(at: now)
      case .input(let input): machine.handle(input, at: now)
      case .tick:
        machine.advance(to: now)
        for (key, seat) in seats where seat.isStuck(at: now) {
          lose(key)
          machine.handle(.lost(key), at: now)
        }
        if isFulfilled(at: now) { machine.handle(.leave, at: now) }
        if !isJoined, now - began > Bot.joining {
          fault = GuestFault(.lost, "the server has not let the bot in within \(Int(Bot.joining.seconds)) s")
        }
      case .ended(let end): fault = fault ?? end
      case .seat(let key, let number, let event):
        if let input = heard(event, key, number) { machine.handle(input, at: now) }
      case .seatEnded(let key, let number):
        if seats[key]?.number == number {
          lose(key)
          machine.handle(.lost(key), at: now)
        }
      }
      // What is carried out can have consequences of its own.
      while fault == nil, let output = machine.next() {
        if case .send(let text) = output {
          if case .dropped = outgoing.yield(text) { fault = GuestFault(.lost, "the server does not read") }
        } else if case .over(let end) = output {
          fault = end
        } else {
          for input in await carryOut(output) { machine.handle(input, at: MonotonicClock.now) }
        }
      }
      settle()
      if fault != nil { break }
    }
    outgoing.finish()
    ticking.cancel()
    // The goodbye is on its way; a server that does not read it is not waited for.
    _ = try? await Deadline.race(Bot.goodbye) { await linking.value }
    linking.cancel()
    closeSignals()
    return fault ?? (Task.isCancelled ? .left : GuestFault(.lost, "the events of the visit are over"))
  }

  private static func carry(
    _ link: any BotLink, _ texts: AsyncStream<String>, _ sink: AsyncStream<Signal>.Continuation
  ) async -> GuestFault {
    let intake = Mutex(TextIntake())
    do {
      let end = try await link.run(texts, opened: { sink.yield(.opened) }) { text in
        guard intake.withLock({ $0.admit(text.utf8.count, at: MonotonicClock.now) }) else { return false }
        return if case .enqueued = sink.yield(.input(.text(text))) { true } else { false }
      }
      return GuestFault(.lost, end.description)
    } catch let closed as LinkClosed {
      return GuestFault(.lost, closed.description)
    } catch let fault as GuestFault {
      return fault
    } catch {
      return await .unreachable(link.endpoint, error)
    }
  }

  /// What an event of a seat means for the conversation.
  func heard(_ event: RoomEvent, _ key: GuestKey, _ number: Int) -> GuestInput? {
    guard let seat = seats[key], seat.number == number else { return nil }
    switch event {
    case .candidate(seat.label, let candidate): return .candidate(key, candidate)
    case .peer(seat.label, .connected):
      seats[key]?.downSince = nil
      return nil
    case .peer(seat.label, .disconnected):
      if seat.isUp { seats[key]?.downSince = MonotonicClock.now }
      return nil
    case .peer(seat.label, .failed), .peer(seat.label, .closed), .closed:
      if case .closed(.kicked) = event { bar(key) }
      lose(key)
      return .lost(key)
    default: return nil
    }
  }

  /// Carries out what a machine asks for; returns what it has to be told in turn.
  private func carryOut(_ output: GuestOutput) async -> [GuestInput] {
    do throws(RoomRefusal) {
      switch output {
      case .joined:
        isJoined = true
        logger.notice("the bot is in its room", metadata: ["url": "\(wish.address.shown)"])
        return []
      case .invited(let key, let name):
        // In the room that it records into, the bot meets its own guests.
        guard !isOwn(key) else { return [] }
        let seat = try await enter(key, name)
        return [.offer(key, sdp: try await seat.offer())] + greeting()
      case .offered(let key, let name, let sdp):
        let seat = try await enter(key, name)
        return [.answer(key, sdp: try await seat.answer(to: sdp))] + greeting()
      case .reoffered(let key, let sdp):
        guard let seat = seats[key] else { return [.lost(key)] }
        return [.answer(key, sdp: try await seat.answer(anew: sdp))]
      case .answered(let key, let sdp):
        try await seats[key]?.accept(sdp)
        return []
      case .candidate(let key, let candidate):
        // One that is refused costs nothing else.
        try? await seats[key]?.add(candidate)
        return []
      case .left(let key):
        leave(key)
        return []
      case .lost(let key):
        lose(key)
        return []
      case .said(let key, let text):
        guard let command = ChatCommand(text), chat.admits(isHeard: seats[key] != nil, at: MonotonicClock.now)
        else { return [] }
        return [.say(await obey(command, of: key))]
      case .send, .over: return []
      }
    } catch {
      logger.info("a guest cannot be recorded", metadata: ["reason": "\(error)"])
      guard let key = output.guest else { return [] }
      lose(key)
      return [.lost(key)]
    }
  }

  private func isOwn(_ key: GuestKey) -> Bool {
    seats.values.contains { $0.membership.participant.description == key.description }
  }
}

extension GuestOutput {
  /// The guest that it is about.
  fileprivate var guest: GuestKey? {
    switch self {
    case .invited(let key, _), .offered(let key, _, _), .reoffered(let key, _), .answered(let key, _),
      .candidate(let key, _), .left(let key), .lost(let key), .said(let key, _):
      key
    case .send, .joined, .over: nil
    }
  }
}

extension GuestFault {
  /// Why a server cannot be reached, in one sentence. A certificate that is not trusted is looked at once more, to say what
  /// is wrong with it: a server that shows another one than before is not spoken to.
  static func unreachable(_ endpoint: ServiceEndpoint, _ error: any Error) async -> GuestFault {
    let place = "\(endpoint.host):\(endpoint.port)"
    if let reasons = await Unreachable(endpoint, place: place).distrust(at: MonotonicClock.wall) {
      return GuestFault(.refused, "the server \(place) is not trusted: \(reasons)")
    }
    return GuestFault(.lost, "the server \(place) cannot be reached: \(error)")
  }
}
