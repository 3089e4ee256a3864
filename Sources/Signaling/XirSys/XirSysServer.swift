import Machines
import Music

/// The server's side of one socket of XirSys, in dialect A or B.
///
/// The client believes in a mesh: it makes a connection to every other musician. Between two clients of this kind that
/// came while the room was a mesh, messages are passed on. Every other of these connections ends at Jamjar
/// (`XirSysServer+Legs`), which takes the other musician's part in the negotiation.
package struct XirSysServer: ~Copyable, Dialect {
  package typealias Words = XirSysWords
  package typealias Input = ConversationInput<XirSysWords>
  package typealias Output = ConversationOutput<XirSysWords>

  /// The room's own grace period.
  package static let patience = ConversationPatience(
    afterLoss: .zero, afterGoodbye: .zero, betweenRequests: .seconds(10))

  /// What an operation of the room is for.
  enum Purpose {
    case join
    /// Our offer under this musician's name.
    case offer(ParticipantID, PeerLabel)
    /// The answer to the client's offer to this musician.
    case answer(ParticipantID, PeerLabel, connection: String)
    /// Whether a leg has outlived the time without a socket.
    case check(ParticipantID, PeerLabel)
  }

  let limits: JSONLimits
  let sessionID: String
  var listener: XirSysListener
  private let entry: RoomEntry?
  private(set) var me: (id: ParticipantID, name: String)?
  /// True if the client came into a mesh.
  private(set) var isMesh = false
  /// The others who did, by the same protocol.
  private var direct: Set<ParticipantID> = []
  var roster: KurentoRoster?
  var legs: XirSysLegs
  var awaited: [OperationNumber: Purpose] = [:]
  var outputs = OutputQueue<Output>()
  private(set) var time: MonotonicTime
  private var isEnded = false
  private var lastOperation = OperationNumber(0)
  /// Most operations that may wait, each counted as the KiB, begun ones too, of the text that asked for it.
  private static let mostUnderWay = 512
  private var costs: [OperationNumber: Int] = [:]
  private var underWay = 0
  /// KiB of the text that is being read.
  private var cost = 1
  /// KiB that may be passed on to others' clients.
  private var allowance = RateLimit(perSecond: 20, burst: 512)

  /// A machine for the socket `link`, opened at `now`; `sessionID` also names its connections.
  package init(
    sessionID: String, _ opening: XirSysOpening, as listener: XirSysListener, on link: LinkNumber,
    limits: JSONLimits = .signaling, at now: MonotonicTime
  ) {
    self.sessionID = sessionID
    self.listener = listener
    self.limits = limits
    legs = XirSysLegs(prefix: sessionID)
    time = now
    switch opening {
    case .enter(let entry):
      self.entry = entry
      join(entry)
    case .resume(let former, let entry):
      self.entry = entry
      outputs.append(.resume(sessionID: former, XirSysReturn(listener), on: link))
    case .invalidToken:
      entry = nil
      end(saying: XirSysListener.invalidToken)
    case .refused(let refusal):
      entry = nil
      end(saying: refusal.description)
    }
  }

  package var deadline: MonotonicTime? { isEnded ? nil : legs.deadline }

  package mutating func next() -> Output? { outputs.next() }

  package mutating func advance(to now: MonotonicTime) {
    time = now
    guard !isEnded else { return }
    for id in legs.overdue(at: now) { renew(id) }
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !isEnded else { return }
    time = now
    switch input {
    case .text(let text, _): receive(text)
    // Keepalives of some client; XirSys has no words for a complaint.
    case .unreadable, .linkLost: break
    case .joined(let operation, let seating):
      settle(operation)
      joined(operation, seating)
    case .replied(let operation, let reply):
      settle(operation)
      replied(operation, reply)
    case .refused(let operation, let refusal):
      settle(operation)
      refused(operation, refusal)
    case .resumed(let request, _, let snapshot): resumed(request.listener, snapshot)
    case .unknownSession:
      // The former session ended meanwhile.
      if me == nil, let entry { join(entry) }
    case .event(.room(let event)): receive(event)
    case .event(.relayed(let message, let sender)): relayed(message, from: sender)
    case .event(.returned(let name)):
      guard roster?.musician(named: name) != nil else { return }
      outputs.append(.notify(listener.removed(name)))
      outputs.append(.notify(listener.connected(name)))
    }
  }

  // MARK: Coming and going

  private mutating func join(_ entry: RoomEntry) {
    let operation = newOperation()
    awaited[operation] = .join
    outputs.append(.join(operation, entry))
  }

  private mutating func joined(_ operation: OperationNumber, _ seating: Seating) {
    guard case .join? = awaited.removeValue(forKey: operation) else { return }
    let own = seating.snapshot.members.first { $0.participant.id == seating.participant }?.participant.name
    me = (seating.participant, own?.description ?? entry?.request.name.description ?? "")
    note(seating.snapshot.members)
    roster = KurentoRoster(me: seating.participant, members: seating.snapshot.members)
    tellPeers()
    offerToEverybody()
  }

  /// Names in the order of arrival, with the client's own at the end: it has come last.
  mutating func tellPeers() {
    guard let me, let roster else { return }
    outputs.append(.notify(listener.peers(roster.musicians.map(\.name) + [me.name])))
  }

  /// True if the client and another musician's make their connection themselves.
  func isDirect(_ id: ParticipantID) -> Bool { isMesh && direct.contains(id) }

  /// Notes which members came into a mesh by this protocol.
  mutating func note(_ members: [RoomSnapshot.Member]) {
    for member in members {
      let id = member.participant.id
      if id == me?.id {
        isMesh = member.isDirect
      } else if member.isDirect, member.door?.pairsWithItselfOnly != true {
        direct.insert(id)
      } else {
        direct.remove(id)
      }
    }
  }

  mutating func forget(_ id: ParticipantID) { direct.remove(id) }

  /// Those present offer, the newcomer answers: Jamjar offers for those whose connections end here.
  private mutating func offerToEverybody() {
    guard let roster else { return }
    for musician in roster.musicians where legs[musician.id] == nil && !isDirect(musician.id) {
      offer(as: musician.id)
    }
  }

  /// The client is back on another socket, or the same one after an error of its own.
  private mutating func resumed(_ newcomer: XirSysListener, _ snapshot: RoomSnapshot?) {
    guard me != nil else { return }
    if newcomer.framing != listener.framing {
      // Another program, which knows nothing of these connections.
      for id in legs.all.keys.sorted() { hangUp(id) }
    }
    listener = listener.continued(by: newcomer)
    if let snapshot {
      direct = []
      note(snapshot.members)
      let present = Set(snapshot.members.map(\.participant.id))
      for id in legs.all.keys.sorted() where !present.contains(id) { giveUp(id) }
      _ = roster?.replace(with: snapshot.members)
    }
    tellPeers()
    outputs.append(.perform(newOperation(), .announceReturn))
    for (id, leg) in legs.all.sorted(by: { $0.key < $1.key }) where leg.state == .open {
      ask(.redirect(leg.label, to: .participant(id)), for: .check(id, leg.label))
    }
    offerToEverybody()
  }

  /// Ends the session; `XirSysFraming` tells the client why.
  mutating func end(saying sentence: String, code: UInt16 = 1008) {
    isEnded = true
    outputs.append(.end(code: code, reason: sentence))
  }

  // MARK: Operations

  mutating func newOperation() -> OperationNumber {
    lastOperation = lastOperation.next
    costs[lastOperation] = cost
    // in range: a text has fewer bytes than memory, and `mostUnderWay` ends the session
    underWay &+= cost
    return lastOperation
  }

  /// An operation is over.
  private mutating func settle(_ operation: OperationNumber) {
    // in range: what was added
    underWay &-= costs.removeValue(forKey: operation) ?? 0
  }

  /// A text of the client.
  private mutating func receive(_ text: String) {
    guard underWay < XirSysServer.mostUnderWay else {
      return end(saying: "too many messages wait to be carried out")
    }
    // in range: fewer than the bytes of a text
    cost = text.utf8.count / 1_024 &+ 1
    receive(XirSysFrame(text, limits: limits))
    cost = 1
  }

  /// Counts the text that is being read as passed on; false if that is too much, which ends the session.
  mutating func mayPassOn() -> Bool {
    for _ in 0..<cost {
      guard allowance.admit(at: time) else {
        end(saying: "too much for other users: 20 messages or KiB a second, and 512 at once, are passed on")
        return false
      }
    }
    return true
  }

  mutating func ask(_ command: RoomCommand, for purpose: Purpose? = nil) {
    let operation = newOperation()
    awaited[operation] = purpose
    outputs.append(.perform(operation, .room(command)))
  }
}
