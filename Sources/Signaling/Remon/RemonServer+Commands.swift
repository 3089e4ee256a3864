import Music

/// The commands of a client whose token is known.
extension RemonServer {
  mutating func obey(_ frame: RemonFrame) throws(RemonFault) {
    switch frame.command {
    case "connect": try connect(frame)
    case "create": try create(frame)
    case "sdp": try describe(frame)
    case "ice": try add(frame)
    case "stateChange":
      guard let body = frame.body, let state = RemonState(rawValue: body) else {
        throw RemonFault(.general, "the body of \"stateChange\" is no state; \"COMPLETE\" says that media runs")
      }
      stay?.channel.state = state
    case "message":
      guard stay != nil else { throw RemonServer.notInChannel }
      ask(.room(.message(frame.body ?? "", to: nil)), for: .report)
    case "switchStream":
      // One layer of sound is the best there is; the wish is understood, and changes nothing.
      guard ["HIGH", "MEDIUM", "LOW"].contains(frame.body) else {
        throw RemonFault(.general, "the body of \"switchStream\" must be HIGH, MEDIUM or LOW")
      }
    case "health": ask(.health(try RemonHealth(frame, limits: limits)))
    case "search": ask(.search(frame.channel?.kind ?? .call, frame.body ?? frame.channel?.id ?? ""), for: .search)
    // A socket that was never lost, or the second of two words.
    case "reconnect": tell(RemonFrame("onReconnect", channel: stay?.channel, body: "true"))
    case "pong", "ack": break
    case "disconnect":
      guard stay != nil else { return end(code: 1000, reason: "bye") }
      ask(.room(.leave), for: .leave)
    default: throw RemonFault(.general, "there is no command \"\(frame.command.prefix(64))\"")
    }
  }

  static let notInChannel = RemonFault(.general, "this client is in no channel; connect or create one first")

  // MARK: Entering

  private mutating func connect(_ frame: RemonFrame) throws(RemonFault) {
    var channel = frame.channel ?? RemonChannel()
    guard channel.kind == nil || channel.kind == .call else {
      throw RemonFault(.general, "\"connect\" is for calls, of type P2P; casts and conferences begin with \"create\"")
    }
    channel.kind = .call
    try enter(channel, as: .caller)
  }

  private mutating func create(_ frame: RemonFrame) throws(RemonFault) {
    var channel = frame.channel ?? RemonChannel()
    switch channel.kind {
    case nil, .call:
      throw RemonFault(.general, "\"create\" needs a channel of type BROADCAST, VIEWER or ROOM")
    case .viewer:
      guard let id = channel.id, !id.isEmpty else {
        throw RemonFault(.general, "the channel of a viewer has no \"id\"; it is the cast's")
      }
      guard let pass, stay == nil, wish == nil else { throw busyHere }
      ask(.find(id, bound: pass.bound), for: .find(channel))
    case .room:
      channel.id = frame.roomID ?? channel.id ?? pass?.conference
      guard channel.id?.isEmpty == false else {
        throw RemonFault(.general, "a \"create\" of type ROOM needs a \"roomId\"")
      }
      try enter(channel, as: .presence)
    case .broadcast:
      // The own cast of a conference: on the socket of the presence, or on one of its own.
      if stay?.part == .presence { return upgrade(offer: nil) }
      if let conference = frame.roomID ?? pass?.conference {
        channel.id = conference
        try enter(channel, as: .member)
      } else {
        try enter(channel, as: .caster)
      }
    }
  }

  private var busyHere: RemonFault {
    RemonFault(.general, "this client is in a channel already; a new call or cast needs a new client")
  }

  private mutating func enter(_ wanted: RemonChannel, as part: RemonPart) throws(RemonFault) {
    guard let pass, stay == nil, wish == nil else { throw busyHere }
    var channel = wanted
    let id = channel.id.flatMap { $0.isEmpty ? nil : $0 } ?? pass.proposal
    let room = try RemonChannelID.room(id, bound: pass.bound)
    (channel.id, channel.serviceID) = (id, pass.serviceID)
    try enter(room, channel, as: part, source: nil)
  }

  mutating func enter(
    _ room: RoomName, _ channel: RemonChannel, as part: RemonPart, source: ParticipantID?
  ) throws(RemonFault) {
    guard let pass else { return }
    let meta = channel.meta ?? pass.meta
    guard meta?.utf8.count ?? 0 <= RemonMeta.longest else {
      throw RemonFault(.general, "the userMeta is too long; it may have \(RemonMeta.longest) bytes")
    }
    let isMusician = part.role == .musician
    let ownName = isMusician ? RemonMeta.name(in: meta) : nil
    guard let name = ownName ?? DisplayName("\(isMusician ? "guest" : "viewer")-\(pass.token.prefix(8))") else {
      return
    }
    var request = JoinRequest(name: name, role: part.role, meta: meta, door: .remon)
    request.makesPairs = part == .caller
    let entry = RemonEntry(room, request, as: part)
    wish = Wish(channel: channel, part: part, entry: entry, source: source)
    enter(entry)
  }

  /// The presence of a conference begins to play: from a listener's place to a musician's seat.
  mutating func upgrade(offer: String?) {
    guard early == nil else {
      if offer != nil { early?.offer = offer }
      return
    }
    early = (offer, [])
    ask(.room(.leave), for: .upgrade)
  }

  /// The listener's place is given up.
  mutating func hasLeftPresence() {
    guard let former = stay else { return }
    (stay, known) = (nil, former.musicians)
    do throws(RemonFault) {
      try enter(former.room, former.channel, as: .member, source: nil)
    } catch {
      early = nil
      complain(error, about: "create", former.channel)
    }
  }

  // MARK: In the room

  mutating func joined(_ seating: Seating) {
    guard let wish, let pass else { return }
    self.wish = nil
    var stay = RemonStay(wish.part, wish.channel, source: wish.source, seating)
    let others = stay.present
    switch wish.part {
    case .caller:
      guard others.count < 2 else {
        // Two came at the same time.
        ask(.room(.leave))
        return complain(RemonServer.busy(wish.channel), about: "connect", wish.channel)
      }
      stay.partner = others.first?.participant.id
      stay.channel.state = others.isEmpty ? .wait : .connect
      self.stay = stay
      var shown = stay.channel
      // What a caller gets to know of the other one.
      shown.meta = others.first?.meta
      tell(RemonFrame(others.isEmpty ? "onCreate" : "onConnect", channel: shown))
    case .caster, .presence, .viewer:
      stay.channel.state = .initial
      self.stay = stay
      tell(RemonFrame("onCreate", channel: stay.channel))
    case .member:
      stay.channel.kind = .room
      stay.channel.state = .initial
      self.stay = stay
      var shown = stay.channel
      shown.id = RemonChannelID.own(stay.me, token: pass.token)
      shown.kind = .broadcast
      let waiting = early
      early = nil
      // A client that has offered in its presence knows its channel.
      if waiting?.offer == nil { tell(RemonFrame("onCreate", channel: shown)) }
      if let offer = waiting?.offer { offered(offer) }
      for candidate in waiting?.candidates ?? [] { add(candidate) }
      tellOfChangedCasts(among: others)
    }
  }

  /// Casts that began or ended while the presence became a musician.
  private mutating func tellOfChangedCasts(among musicians: [RoomSnapshot.Member]) {
    guard let known, let stay else { return }
    self.known = nil
    for member in known where member.hasPublication {
      guard stay.musician(member.participant.id)?.hasPublication != true else { continue }
      tell(RemonFrame("onRoomEvent", channel: stay.cast(of: member), body: "leave"))
    }
    for member in musicians where member.hasPublication {
      guard !known.contains(where: { $0.participant.id == member.participant.id && $0.hasPublication }) else {
        continue
      }
      tell(RemonFrame("onRoomEvent", channel: stay.cast(of: member), body: "join"))
    }
  }

  static func busy(_ channel: RemonChannel) -> RemonFault {
    RemonFault(.busy, "channel \"\(channel.id?.prefix(64) ?? "")\" is in a call already: two are in it")
  }

  /// The seat was refused.
  mutating func notJoined(_ refusal: RoomRefusal) {
    guard var wish, let pass else { return }
    if refusal.code == .nameTaken, wish.isFirstTry,
      let name = DisplayName("\(wish.entry.request.name.description.prefix(48)) \(pass.token.prefix(6))")
    {
      // Remote Monster's users have no names that could be taken.
      wish.isFirstTry = false
      wish.entry.request.name = name
      self.wish = wish
      return enter(wish.entry)
    }
    self.wish = nil
    (early, known) = (nil, nil)
    let isCall = wish.part == .caller
    let fault =
      isCall && refusal.code == .roomFull ? RemonServer.busy(wish.channel) : RemonFault(refusal, isCall: isCall)
    complain(fault, about: isCall ? "connect" : "create", wish.channel)
  }
}
