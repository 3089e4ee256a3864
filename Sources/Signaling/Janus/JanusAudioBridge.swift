import Machines

/// A listener in an AudioBridge of Janus, where the server mixes everybody: one guest, who is the mix.
///
/// The mix is recorded while somebody else is in the room. We offer, Janus answers.
/// Source: https://janus.conf.meetecho.com/docs/audiobridge.html
package struct JanusAudioBridge: GuestMachine, Sendable {
  /// The only guest.
  package static let mix = GuestKey("mix")
  /// Most participants counted.
  private static let maximumParticipants = 1_024

  private let room: JanusRoom
  private let limits: JSONLimits
  private let name: String
  private var session: JanusSession
  package var visit = GuestVisit()
  private var handle: Int64?
  private var others: Set<GuestKey> = []
  private var isJoined = false
  /// True once this place in the room has been used for media.
  private var hasOffered = false

  package init(_ room: JanusRoom, name: String, limits: JSONLimits = .received) {
    self.room = room
    self.name = name
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
    case .offer(let key, let sdp):
      guard let handle else { return lose(key, at: now) }
      hasOffered = true
      visit.guests.asked(key, at: now)
      let body: JSONObject = ["request": "configure", "muted": true]
      visit.send(
        session.message(handle, purpose: .media, body, jsep: .init(.offer, sdp)), at: now)
    case .candidate(_, let candidate):
      guard let handle else { return }
      visit.send(session.trickle(handle, candidate), at: now)
    case .lost(let key): lose(key, at: now)
    case .leave:
      if session.id != nil { visit.send(session.destroy(), at: now) }
      visit.end(.left)
    case .answer, .say: break
    }
  }

  private mutating func take(_ reading: JanusSession.Reading, at now: MonotonicTime) throws(GuestFault) {
    switch reading {
    case .created: visit.send(session.attach(.audioBridge, purpose: .room), at: now)
    case .attached(let attached, _):
      handle = attached
      var body: JSONObject = [
        "request": "join", "room": room.identifier, "display": .string(room.display), "muted": true,
      ]
      if let pin = room.pin { body["pin"] = .string(pin) }
      visit.send(session.message(attached, purpose: .room, body), at: now)
    case .event(let sender, let purpose, let data, let jsep):
      if sender == handle { try news(data, purpose, jsep) }
    case .hungUp(let hungUp, _):
      guard hungUp == handle else { return }
      comeIn(instead: hungUp, at: now)
    case .detached(let detached):
      if detached == handle { throw GuestFault(.lost, "Janus has closed the bot's place in the room") }
    case .candidate(_, let candidate): visit.append(.candidate(JanusAudioBridge.mix, candidate))
    case .expired: throw GuestFault(.lost, "Janus has forgotten the session")
    case .refused(let purpose, let code, let reason):
      guard purpose != .detach, purpose != .trickle else { return }
      throw GuestFault(janus: code, reason)
    case .nothing: break
    }
  }

  private mutating func news(
    _ data: JSONObject, _ purpose: JanusSession.Purpose?, _ jsep: JanusSession.Jsep?
  ) throws(GuestFault) {
    if let code = data["error_code"]?.integer {
      throw GuestFault(janus: code, data["error"]?.string ?? "no reason given")
    }
    if let jsep, jsep.kind == .answer {
      visit.answered(JanusAudioBridge.mix, sdp: jsep.sdp)
    }
    switch data["audiobridge"]?.string {
    case "joined":
      // Others who come later are announced by the same word; only our own answers a request.
      if purpose == .room, !isJoined {
        isJoined = true
        visit.append(.joined)
      }
    case "destroyed": throw GuestFault(.lost, "the room of Janus was closed")
    default: break
    }
    for participant in data["participants"]?.array ?? [] {
      guard let id = participant.object?["id"], others.count < JanusAudioBridge.maximumParticipants else { continue }
      let key = GuestKey(id.string ?? id.text)
      if key.isPlausible { others.insert(key) }
    }
    for gone in ["leaving", "kicked"].compactMap({ data[$0] }) { others.remove(GuestKey(gone.string ?? gone.text)) }
    settle()
  }

  /// The mix has no seat here, or its media is over.
  package mutating func lose(_ key: GuestKey, at now: MonotonicTime) {
    // A place without media is as good as before.
    if hasOffered, let handle { return comeIn(instead: handle, at: now) }
    visit.lost(key, at: now)
  }

  /// Takes another place in the room: Janus removes a participant whose media is over, ours too.
  private mutating func comeIn(instead former: Int64, at now: MonotonicTime) {
    handle = nil
    hasOffered = false
    others = []
    visit.lost(JanusAudioBridge.mix, at: now)
    visit.send(session.detach(former), at: now)
    visit.send(session.attach(.audioBridge, purpose: .room), at: now)
  }

  /// The mix is worth recording while there is somebody in it.
  private mutating func settle() {
    if others.isEmpty { visit.left(JanusAudioBridge.mix) } else { visit.came(JanusAudioBridge.mix, name: name) }
  }

}
