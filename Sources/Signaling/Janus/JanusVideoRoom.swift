import Machines

/// A listener in a VideoRoom of Janus: one subscription for every publisher.
///
/// It joins as a publisher that publishes nothing, since Janus announces publishers to publishers only. Janus offers, we answer.
/// Source: https://janus.conf.meetecho.com/docs/videoroom.html
package struct JanusVideoRoom: GuestMachine, Sendable {
  private struct Feed: Sendable {
    var id: JSONValue
    /// The audio stream to subscribe to; nil for servers before 1.0, which know one.
    var mid: JSONValue?
    var handle: Int64?
  }

  private let room: JanusRoom
  private let limits: JSONLimits
  private var session: JanusSession
  package var visit = GuestVisit()
  private var feeds: [GuestKey: Feed] = [:]
  private var controlHandle: Int64?
  /// What rooms with `require_pvtid` ask of subscribers.
  private var privateID: JSONValue?

  package init(_ room: JanusRoom, limits: JSONLimits = .received) {
    self.room = room
    self.limits = limits
    session = JanusSession(token: room.token, secret: room.secret)
  }

  package mutating func begin(at now: MonotonicTime) { visit.send(session.create(), at: now) }

  package mutating func giveSign(at now: MonotonicTime) { visit.send(session.keepAlive(), at: now) }

  package mutating func handle(_ input: GuestInput, at now: MonotonicTime) {
    guard !visit.isOver else { return }
    switch input {
    case .text(let text):
      visit.heard(at: now)
      do throws(GuestFault) {
        try take(try session.read(text, limits: limits), at: now)
      } catch {
        visit.end(error)
      }
    case .answer(let key, let sdp):
      guard let handle = feeds[key]?.handle else { return }
      visit.send(
        session.message(
          handle, purpose: .guest(key), ["request": "start", "room": room.identifier], jsep: .init(.answer, sdp)),
        at: now)
    case .candidate(let key, let candidate):
      guard let handle = feeds[key]?.handle else { return }
      visit.send(session.trickle(handle, candidate), at: now)
    case .lost(let key): lose(key, at: now)
    case .leave:
      if session.id != nil { visit.send(session.destroy(), at: now) }
      visit.end(.left)
    case .offer, .say: break
    }
  }

  private mutating func take(_ reading: JanusSession.Reading, at now: MonotonicTime) throws(GuestFault) {
    switch reading {
    case .created: visit.send(session.attach(room.plugin, purpose: .room), at: now)
    case .attached(let handle, .room):
      controlHandle = handle
      var body: JSONObject = [
        "request": "join", "ptype": "publisher", "room": room.identifier, "display": .string(room.display),
      ]
      if let pin = room.pin { body["pin"] = .string(pin) }
      visit.send(session.message(handle, purpose: .room, body), at: now)
    case .attached(let handle, .guest(let key)): join(key, handle, at: now)
    case .attached: break
    case .event(let handle, _, let data, let jsep):
      if handle == controlHandle {
        try news(data, at: now)
      } else if let key = key(of: handle) {
        heard(key, data, jsep, at: now)
      }
    case .hungUp(let handle, _), .detached(let handle):
      if handle == controlHandle { throw GuestFault(.lost, "Janus has closed the bot's place in the room") }
      if let key = key(of: handle) { lose(key, at: now) }
    case .candidate(let handle, let candidate):
      if let key = key(of: handle) { visit.append(.candidate(key, candidate)) }
    case .expired: throw GuestFault(.lost, "Janus has forgotten the session")
    case .refused(let purpose, let code, let reason):
      // What concerns one publisher only costs that one.
      switch purpose {
      // Unless it is the session that Janus does not know.
      case .guest(let key) where code != GuestFault.unknownSession: return lose(key, at: now)
      case .detach, .trickle: return
      default: break
      }
      throw GuestFault(janus: code, reason)
    case .nothing: break
    }
  }

  // MARK: The room

  private mutating func news(_ data: JSONObject, at now: MonotonicTime) throws(GuestFault) {
    if let code = data["error_code"]?.integer {
      throw GuestFault(janus: code, data["error"]?.string ?? "no reason given")
    }
    if data["videoroom"]?.string == "joined" {
      privateID = data["private_id"]
      visit.append(.joined)
    }
    if data["videoroom"]?.string == "destroyed" { throw GuestFault(.lost, "the room of Janus was closed") }
    for publisher in data["publishers"]?.array ?? [] { published(publisher.object, at: now) }
    for name in ["unpublished", "leaving", "kicked"] {
      guard let id = data[name] else { continue }
      // "ok" is about ourselves.
      if name == "kicked", id == "ok" { throw GuestFault(.refused, "somebody has removed the bot from the room") }
      gone(JanusVideoRoom.key(id), at: now)
    }
  }

  private mutating func published(_ publisher: JSONObject?, at now: MonotonicTime) {
    guard let publisher, let id = publisher["id"] else { return }
    let streams = publisher["streams"]?.array?.compactMap(\.object)
    let audio = streams?.first { $0["type"]?.string == "audio" && $0["disabled"]?.bool != true }
    let key = JanusVideoRoom.key(id)
    // Somebody who publishes pictures only is not heard, and servers before 1.0 name the codec alone.
    guard audio != nil || (streams == nil && publisher["audio_codec"] != nil) else { return gone(key, at: now) }
    let name = publisher["display"]?.string ?? "guest \(key)"
    guard visit.guests.add(key, name: name) else { return }
    feeds[key] = Feed(id: id, mid: audio?["mid"])
    subscribe(key, at: now)
  }

  private mutating func gone(_ key: GuestKey, at now: MonotonicTime) {
    guard visit.guests.remove(key) else { return }
    if let handle = feeds.removeValue(forKey: key)?.handle { visit.send(session.detach(handle), at: now) }
    visit.append(.left(key))
  }

  private static func key(_ id: JSONValue) -> GuestKey { GuestKey(id.string ?? id.text) }

  private func key(of handle: Int64) -> GuestKey? { feeds.first { $0.value.handle == handle }?.key }

  // MARK: One publisher

  package mutating func invite(_ key: GuestKey, name _: String, at now: MonotonicTime) { subscribe(key, at: now) }

  private mutating func subscribe(_ key: GuestKey, at now: MonotonicTime) {
    visit.guests.asked(key, at: now)
    visit.send(session.attach(room.plugin, purpose: .guest(key)), at: now)
  }

  private mutating func join(_ key: GuestKey, _ handle: Int64, at now: MonotonicTime) {
    // Somebody may have left before Janus made the handle,
    // and a former request may have been answered late.
    guard var feed = feeds[key], feed.handle == nil, visit.guests[key]?.retry == nil else {
      return visit.send(session.detach(handle), at: now)
    }
    feed.handle = handle
    feeds[key] = feed
    var body: JSONObject = ["request": "join", "ptype": "subscriber", "room": room.identifier]
    if let mid = feed.mid {
      body["streams"] = .array([["feed": feed.id, "mid": mid]])
    } else {
      body["feed"] = feed.id
      body["offer_video"] = false
    }
    if let pin = room.pin { body["pin"] = .string(pin) }
    if let privateID { body["private_id"] = privateID }
    visit.send(session.message(handle, purpose: .guest(key), body), at: now)
  }

  private mutating func heard(
    _ key: GuestKey, _ data: JSONObject, _ jsep: JanusSession.Jsep?, at now: MonotonicTime
  ) {
    if data["error_code"] != nil { return lose(key, at: now) }
    // A later offer is about streams that this subscription does not have.
    guard data["videoroom"]?.string == "attached", let jsep, jsep.kind == .offer, let guest = visit.guests[key] else {
      return
    }
    visit.guests.answered(key)
    visit.append(.offered(key, name: guest.name, sdp: jsep.sdp))
  }

  package mutating func lose(_ key: GuestKey, at now: MonotonicTime) {
    guard visit.guests.lose(key, at: now) else { return }
    if let handle = feeds[key]?.handle { visit.send(session.detach(handle), at: now) }
    feeds[key]?.handle = nil
    visit.append(.lost(key))
  }

}
