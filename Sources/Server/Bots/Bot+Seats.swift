import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling

/// The seats of those whom a bot hears.
extension Bot {
  private static let maximumKept = 64
  private static let maximumBarred = 256
  /// Pause before a newcomer asks a room again that had no place.
  private static let full = MonotonicTime.Span.seconds(4)
  /// Time for the room to note that seats are given up.
  private static let goodbye = MonotonicTime.Span.seconds(2)
  /// Names tried for somebody whose own is taken here.
  private static let namesTried = 4

  /// Gives a guest a seat, or the one whose connection was lost.
  func enter(_ key: GuestKey, _ text: String) async throws(RoomRefusal) -> GuestSeat {
    let former = seats.removeValue(forKey: key)
    former?.membership.detach()
    var others = Set(seats.values.map(\.name))
    do throws(RoomRefusal) {
      var name = if let former { former.name } else { try GuestSeat.name(text, beside: others) }
      try admit(key, isKnown: former != nil || kept[name] != nil)
      for _ in 1..<Bot.namesTried {
        do throws(RoomRefusal) {
          return try await sit(key, name, (former ?? kept[name])?.membership.resumeSecret)
        } catch  where error.code == .nameTaken && !wish.address.kind.hidesGuests {
          // A musician of the room here is called that. In a room of Kurento or XirSys it may be that very musician,
          // whom another service's bot has taken there: nothing in their protocols says so, and the taken name ends the
          // circle.
          others.insert(name)
          name = try GuestSeat.name(text, beside: others)
        }
      }
      return try await sit(key, name, kept[name]?.membership.resumeSecret)
    } catch {
      if let former { kept[former.name] = former }
      refusal = error
      if error.code == .roomFull { fullUntil = MonotonicClock.now + Bot.full }
      throw error
    }
  }

  /// Whether somebody may ask for a seat now.
  private func admit(_ key: GuestKey, isKnown: Bool) throws(RoomRefusal) {
    guard !barred.contains(key) else {
      throw RoomRefusal(.forbidden, "somebody was removed from \(wish.room)")
    }
    let now = MonotonicClock.now
    if !isKnown, let refusal, refusal.code == .roomFull, let fullUntil, now < fullUntil { throw refusal }
    guard newcomers.admit(at: now) else {
      throw RoomRefusal(.rateLimited, "musicians there come and go too fast")
    }
  }

  private func sit(_ key: GuestKey, _ name: DisplayName, _ secret: String?) async throws(RoomRefusal) -> GuestSeat {
    let membership = try await services.broker.enter(
      wish.room, request(name, consents: !silent.contains(name), secret: secret))
    (refusal, fullUntil) = (nil, nil)
    seatCount &+= 1
    let seat = GuestSeat(
      key: key, name: name, membership: membership, number: seatCount, label: try GuestSeat.label(seatCount))
    seats[key] = seat
    kept[name] = nil
    follow(seat)
    return seat
  }

  private func request(_ name: DisplayName, consents: Bool, secret: String?) -> JoinRequest {
    var request = JoinRequest(
      name: name, role: .musician, consents: consents, resumeSecret: secret, door: .bot,
      // Nobody else has this address, so a seat whose connection was lost is given back to this bot only.
      address: "bot \(wish.id)")
    request.origin = wish.address.kind.origin
    return request
  }

  /// Passes the room's events for a seat to the visit; they end with the seat.
  private func follow(_ seat: GuestSeat) {
    let (key, number, events) = (seat.key, seat.number, seat.membership.events)
    // Ends with the seat's link, which every way out of a seat closes.
    Task { [signals] in
      for await event in events {
        switch event {
        case .candidate, .peer, .closed: signals?.yield(.seat(key, number: number, event))
        default: break
        }
      }
      signals?.yield(.seatEnded(key, number: number))
    }
  }

  /// The guest has left: so does the seat, even if the connection was lost before. The end of a musician's media often
  /// overtakes the word of their departure.
  func leave(_ key: GuestKey) {
    // It may have been about them. A guest who still waits is refused again at the next invitation.
    refusal = nil
    let lost = kept.values.first { $0.key == key }
    if let lost { kept[lost.name] = nil }
    for seat in [seats.removeValue(forKey: key), lost].compactMap({ $0 }) {
      fullUntil = nil
      // It returns when no take expects more packets; nothing here waits for that.
      Task { await seat.membership.leave() }
    }
  }

  /// Gives all seats back; returns once the room knows.
  func leaveAll() async {
    let memberships = seats.values.map(\.membership) + kept.values.map(\.membership)
    (seats, kept) = ([:], [:])
    guard !memberships.isEmpty else { return }
    _ = try? await Deadline.race(Bot.goodbye) {
      await withDiscardingTaskGroup { group in
        for membership in memberships { group.addTask { await membership.leave() } }
      }
    }
  }

  /// The guest's connection is gone: the seat is kept for the room's grace period.
  func lose(_ key: GuestKey) {
    guard let seat = seats.removeValue(forKey: key) else { return }
    kept[seat.name] = seat
    if kept.count > Bot.maximumKept, let any = kept.keys.first(where: { $0 != seat.name }) { kept[any] = nil }
    seat.membership.detach()
  }

  /// Somebody has removed a guest from the room here: they are not brought back.
  func bar(_ key: GuestKey) {
    if barred.count < Bot.maximumBarred { barred.insert(key) }
  }

  /// Starts or ends the recording of a guest, who has said so; writes it down, so that a restart does not undo it.
  func consent(_ isGiven: Bool, of key: GuestKey) async throws(RoomRefusal) {
    guard let seat = seats[key] else { throw RoomRefusal(.unknownParticipant, "I do not hear you") }
    guard isGiven || silent.count < BotWish.maximumSilent else {
      throw RoomRefusal(.tooMany, "I cannot remember more than \(BotWish.maximumSilent) names; leave the room instead")
    }
    // A second link of the same seat: its connections go on.
    let membership = try await services.broker.enter(
      wish.room, request(seat.name, consents: isGiven, secret: seat.membership.resumeSecret))
    if isGiven { silent.remove(seat.name) } else { silent.insert(seat.name) }
    seatCount &+= 1
    var next = GuestSeat(
      key: key, name: seat.name, membership: membership, number: seatCount, label: seat.label)
    next.downSince = seat.downSince
    seats[key] = next
    follow(next)
    do {
      try await onSilence(silent)
    } catch {
      logger.error("a consent could not be written down", metadata: ["error": "\(error)"])
      throw RoomRefusal(.unavailable, "it holds until I am restarted, since it could not be written down")
    }
  }
}
