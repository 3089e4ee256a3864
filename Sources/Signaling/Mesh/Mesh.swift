import Machines
import Music

/// The direct connections between the musicians of one mesh room: who makes whom an offer, what may be passed on, and when
/// a pair plays through the service instead.
///
/// Those who are there make the offers and the newcomer answers, so two offers never cross. The service decides about
/// restarts too: the offering end makes an offer whenever the pair's `attempt` rises.
package struct Mesh: Sendable {
  /// How long a first connection, or a restart, may take before the next attempt.
  package static let patience = MonotonicTime.Span.seconds(8)
  /// Restarts in a row after which a pair is given up.
  package static let maximumRestarts = 3
  /// Most candidates of one end for one offer, as for a connection with the service.
  package static let maximumCandidates = 64
  /// Most messages and KiB of one musician: a message counts as one, a longer one as its KiB.
  package static let allowance = (count: 512, window: MonotonicTime.Span.seconds(60))
  /// What entering again takes of it: it makes everybody begin anew.
  package static let entryCost = 16
  /// A second word of a failure within this time is about the same one.
  private static let sameFailure = MonotonicTime.Span.seconds(2)

  /// What one end has said and sent for the present offer.
  fileprivate struct End {
    var candidates = 0
    var isUp = false
  }

  fileprivate struct Connection {
    var pair: MeshPair
    /// Since the last offer became due.
    var since: MonotonicTime
    /// Since the path last stood.
    var restarts = 0
    var isOffered = false
    var isAnswered = false
    var offering = End()
    var answering = End()

    subscript(end participant: ParticipantID) -> End {
      get { participant == pair.offers ? offering : answering }
      set { if participant == pair.offers { offering = newValue } else { answering = newValue } }
    }

    /// Requests another offer, or gives up.
    mutating func retry(at now: MonotonicTime) {
      since = now
      guard restarts < Mesh.maximumRestarts else {
        pair.state = .failed
        return
      }
      restarts += 1
      pair.attempt += 1
    }
  }

  private struct Entrant {
    let participant: ParticipantID
    var limit: RateLimit
    /// True while a moderator has silenced them.
    var isMuted: Bool
  }

  /// In the order in which they entered.
  private var entrants: [Entrant] = []
  private var connections: [Connection] = []
  private var lastNumber = 0

  package init() {}

  package var pairs: [MeshPair] { connections.map(\.pair) }

  package func has(_ participant: ParticipantID) -> Bool { entrants.contains { $0.participant == participant } }

  /// When to call `advance` next.
  package var deadline: MonotonicTime? {
    connections.filter(\.isUnderWay).map { $0.since + Mesh.patience }.min()
  }

  // MARK: Presence

  /// A musician's client enters, without any connection: a new pair with everybody there, who make it offers.
  package mutating func enter(
    _ participant: ParticipantID, isMuted: Bool = false, at now: MonotonicTime
  ) -> [MeshPair] {
    // Entering again gives no new allowance.
    let limit = entrants.first { $0.participant == participant }?.limit
    leave(participant)
    let others = entrants.map(\.participant)
    entrants.append(
      Entrant(
        participant: participant, limit: limit ?? RateLimit(Mesh.allowance.count, per: Mesh.allowance.window),
        isMuted: isMuted))
    return others.map { connect($0, answeredBy: participant, at: now) }
  }

  /// Whether a musician who is there may enter again already.
  /// - Throws: `RoomRefusal` `.rateLimited`.
  package mutating func admitEntry(of participant: ParticipantID, at now: MonotonicTime) throws(RoomRefusal) {
    try charge(Mesh.entryCost, to: participant, at: now)
  }

  /// A moderator silences a musician, or lifts that: meanwhile the service, which keeps it, is their pairs' way.
  package mutating func mute(_ participant: ParticipantID, _ isMuted: Bool) -> [MeshPair] {
    guard let index = entrants.firstIndex(where: { $0.participant == participant }) else { return [] }
    entrants[index].isMuted = isMuted
    var changed: [MeshPair] = []
    for index in connections.indices where connections[index].pair.has(participant) {
      let former = connections[index].pair
      connections[index].pair.hasMuted = hasMuted(former)
      if connections[index].pair != former { changed.append(connections[index].pair) }
    }
    return changed
  }

  private func hasMuted(_ pair: MeshPair) -> Bool {
    entrants.contains { $0.isMuted && pair.has($0.participant) }
  }

  /// The musician's pairs end.
  package mutating func leave(_ participant: ParticipantID) {
    entrants.removeAll { $0.participant == participant }
    connections.removeAll { $0.pair.has(participant) }
  }

  /// All pairs end and everybody has to enter again; numbers count on, so that what is on its way is refused.
  package mutating func clear() {
    entrants = []
    connections = []
  }

  /// A musician has a link again, and perhaps lost connections with the former one: what does not stand is tried again.
  package mutating func comeBack(_ participant: ParticipantID, at now: MonotonicTime) -> [MeshPair] {
    var changed: [MeshPair] = []
    for index in connections.indices where connections[index].pair.has(participant) {
      switch connections[index].pair.state {
      case .connected: continue
      case .connecting, .lost:
        connections[index].restarts = 0
        connections[index].retry(at: now)
        changed.append(connections[index].pair)
      case .failed:
        let former = connections[index].pair
        connections[index] = connection(former.offers, answeredBy: former.answers, at: now)
        changed.append(connections[index].pair)
      }
    }
    return changed
  }

  private mutating func connect(
    _ offers: ParticipantID, answeredBy answers: ParticipantID, at now: MonotonicTime
  ) -> MeshPair {
    let connection = connection(offers, answeredBy: answers, at: now)
    connections.append(connection)
    return connection.pair
  }

  private mutating func connection(
    _ offers: ParticipantID, answeredBy answers: ParticipantID, at now: MonotonicTime
  ) -> Connection {
    lastNumber += 1
    var pair = MeshPair(number: lastNumber, offers: offers, answers: answers)
    pair.hasMuted = hasMuted(pair)
    return Connection(pair: pair, since: now)
  }

  // MARK: Messages

  /// Checks a message; what to pass on, with the number of the pair.
  /// - Throws: `RoomRefusal`: `.wrongState` for a pair that is over and for an end out of turn, `.tooMany`, `.rateLimited`.
  package mutating func relay(
    _ message: PairMessage, from sender: ParticipantID, to receiver: ParticipantID, at now: MonotonicTime
  ) throws(RoomRefusal) -> PairMessage {
    let index = try find(message.pair, sender, receiver)
    try charge(message.size / 1_024 &+ 1, to: sender, at: now)
    switch message.content {
    case .offer:
      guard connections[index].pair.offers == sender else {
        throw RoomRefusal(
          .wrongState, "the offers of this pair come from the other end, which was here first; answer them")
      }
      connections[index].isOffered = true
      connections[index].isAnswered = false
      connections[index].offering.candidates = 0
      connections[index].answering.candidates = 0
    case .answer:
      guard connections[index].pair.answers == sender else {
        throw RoomRefusal(.wrongState, "you make the offers of this pair; the other end answers")
      }
      guard connections[index].isOffered, !connections[index].isAnswered else {
        throw RoomRefusal(.wrongState, "no offer of this pair waits for an answer")
      }
      connections[index].isAnswered = true
    case .candidate:
      guard connections[index].isOffered else {
        throw RoomRefusal(.wrongState, "this pair has no offer yet; candidates come after it")
      }
      guard connections[index][end: sender].candidates < Mesh.maximumCandidates else {
        throw RoomRefusal(.tooMany, "\(Mesh.maximumCandidates) candidates were sent for this offer")
      }
      connections[index][end: sender].candidates += 1
    case .bye: break
    }
    var passed = message
    passed.pair = connections[index].pair.number
    return passed
  }

  private func find(_ number: Int?, _ one: ParticipantID, _ other: ParticipantID) throws(RoomRefusal) -> Int {
    guard let index = connections.firstIndex(where: { $0.pair.joins(one, other) }) else {
      throw RoomRefusal(.wrongState, "\(other) and you are no pair; both have to enter the mesh first")
    }
    let pair = connections[index].pair
    guard number == nil || number == pair.number else {
      throw RoomRefusal(.wrongState, "this pair is over; the present one of \(other) and you is \(pair.number)")
    }
    guard pair.state != .failed else {
      throw RoomRefusal(.wrongState, "pair \(pair.number) was given up; enter the mesh again to try a new one")
    }
    return index
  }

  /// Counts what a musician does to the others' clients; all of it or, if that is too much, nothing.
  private mutating func charge(
    _ cost: Int, to participant: ParticipantID, at now: MonotonicTime
  ) throws(RoomRefusal) {
    guard let index = entrants.firstIndex(where: { $0.participant == participant }) else { return }
    var limit = entrants[index].limit
    for _ in 0..<cost {
      guard limit.admit(at: now) else {
        throw RoomRefusal(
          .rateLimited,
          "too much for other musicians' clients: \(Mesh.allowance.count) messages or KiB in "
            + "\(Int(Mesh.allowance.window.seconds)) seconds at most",
          retryAfter: max(1, Int(saturating: (limit.opens.map { $0 - now } ?? .zero).seconds.rounded(.up))))
      }
    }
    entrants[index].limit = limit
  }

  // MARK: Paths

  /// Notes what one end says of its path; the pair, if that changes it.
  /// - Throws: `RoomRefusal` `.wrongState` for a pair that is over, `.rateLimited`.
  package mutating func note(
    _ report: PairReport, from sender: ParticipantID, about other: ParticipantID, at now: MonotonicTime
  ) throws(RoomRefusal) -> MeshPair? {
    let index = try find(report.pair, sender, other)
    // Every loss that one end reports is an offer for the other.
    try charge(1, to: sender, at: now)
    let former = connections[index].pair
    switch report.path {
    case .connected:
      connections[index][end: sender].isUp = true
      if connections[index].offering.isUp, connections[index].answering.isUp {
        connections[index].pair.state = .connected
        connections[index].restarts = 0
      }
    case .disconnected, .failed:
      connections[index][end: sender].isUp = false
      if former.state == .connected {
        connections[index].pair.state = .lost
        connections[index].retry(at: now)
      } else if report.path == .failed, now - connections[index].since >= Mesh.sameFailure {
        connections[index].retry(at: now)
      }
    }
    return connections[index].pair == former ? nil : connections[index].pair
  }

  /// Ends attempts that have taken too long; the pairs that this changes.
  package mutating func advance(to now: MonotonicTime) -> [MeshPair] {
    var changed: [MeshPair] = []
    for index in connections.indices
    where connections[index].isUnderWay && now - connections[index].since >= Mesh.patience {
      connections[index].retry(at: now)
      changed.append(connections[index].pair)
    }
    return changed
  }
}

extension Mesh.Connection {
  fileprivate var isUnderWay: Bool { pair.state == .connecting || pair.state == .lost }
}
