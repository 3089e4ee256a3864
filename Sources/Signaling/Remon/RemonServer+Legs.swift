import Machines
import Music

/// Descriptions and candidates of the client's media connection.
extension RemonServer {
  mutating func describe(_ frame: RemonFrame) throws(RemonFault) {
    guard stay != nil || early != nil else { throw RemonServer.notInChannel }
    let object = try frame.bodyObject(limits: limits)
    guard let sdp = object["sdp"]?.string else {
      throw RemonFault(.general, "the body of \"sdp\" has no \"sdp\"; it must be {\"type\":\"offer\",\"sdp\":\"…\"}")
    }
    let type = object["type"]?.string?.lowercased()
    // Between the presence's place and the musician's seat.
    guard let stay else {
      if type == "offer" { upgrade(offer: sdp) }
      return
    }
    if let partner = stay.partner, stay.isDirect(partner) { return try relay("onSdp", frame, to: partner) }
    switch type {
    case "offer": try offered(sdp, stay)
    case "answer", "pranswer": answered(sdp)
    default: throw RemonFault(.general, "the \"type\" of a description must be \"offer\" or \"answer\"")
    }
  }

  private mutating func offered(_ sdp: String, _ stay: RemonStay) throws(RemonFault) {
    switch stay.part {
    case .caller:
      guard stay.partner != nil else {
        throw RemonFault(.general, "nobody else is in this channel yet; the second who comes makes the offer")
      }
      offered(sdp)
    case .caster, .member: offered(sdp)
    case .presence: upgrade(offer: sdp)
    case .viewer:
      // It only announces the wish to see; the offer that counts is ours.
      if stay.leg == nil || stay.leg?.state == .dead { offer() }
    }
  }

  /// The client offers its connection, or renews it.
  mutating func offered(_ sdp: String) {
    guard let stay else { return }
    if var leg = stay.leg, leg.state != .dead {
      if leg.state == .open, leg.session == RemonDescription.session(of: sdp) {
        leg.describe(sdp)
        leg.gate.begin()
        self.stay?.leg = leg
        return ask(.room(.restart(leg.label, offer: sdp)), for: .answer(leg.label))
      }
      ask(.room(.close(leg.label)))
    }
    guard let label = newLabel() else { return }
    self.stay?.leg = RemonLeg(label: label, offer: sdp)
    if stay.part == .caller, let partner = stay.partner {
      ask(.room(.exchange(label, with: partner, offer: sdp)), for: .answer(label))
    } else {
      ask(.room(.publish(label, offer: sdp)), for: .answer(label))
    }
  }

  /// Offers the client a connection: to the first of a call, and to viewers.
  mutating func offer() {
    guard let stay, let label = newLabel() else { return }
    self.stay?.leg = RemonLeg(label: label, offer: nil)
    if stay.part == .caller, let partner = stay.partner {
      ask(.room(.exchange(label, with: partner, offer: nil)), for: .offer(label))
    } else {
      let source = stay.source.map { AudioSource.participant($0) } ?? .mix
      ask(.room(.subscribe(label, to: source, offer: nil)), for: .offer(label))
    }
  }

  private mutating func answered(_ sdp: String) {
    guard var leg = stay?.leg, leg.isOurs, leg.state == .open else { return }
    leg.describe(sdp)
    stay?.leg = leg
    ask(.room(.answer(leg.label, sdp: AudioOnlyDescription.audioOnly(sdp))), for: .check(leg.label))
  }

  /// Our description is made.
  mutating func send(_ type: String, _ sdp: String, _ label: PeerLabel) {
    guard var leg = stay?.leg, leg.label == label else { return ask(.room(.close(label))) }
    leg.state = .open
    let candidates = leg.gate.open(sdp)
    stay?.leg = leg
    let body: JSONValue = ["type": .string(type), "sdp": .string(RemonDescription.literal(sdp))]
    var channel = stay?.channel
    channel?.meta = stay?.musician(stay?.partner ?? stay?.source)?.meta
    tell(RemonFrame("onSdp", channel: channel, body: body.text))
    for candidate in candidates { tell(candidate) }
  }

  // MARK: Candidates

  mutating func add(_ frame: RemonFrame) throws(RemonFault) {
    guard stay != nil || early != nil else { throw RemonServer.notInChannel }
    if let stay, let partner = stay.partner, stay.isDirect(partner) {
      return try relay("onIce", frame, to: partner)
    }
    let object = try frame.bodyObject(limits: limits)
    guard let text = object["candidate"]?.string else {
      throw RemonFault(
        .general, "the body of \"ice\" has no \"candidate\"; it is a candidate as browsers write it, as JSON")
    }
    let index = object["sdpMLineIndex"]?.integer.flatMap { Int(exactly: $0) }
    add(CandidateMessage(candidate: text, mid: object["sdpMid"]?.string, mLineIndex: index))
  }

  mutating func add(_ candidate: CandidateMessage) {
    if let held = early {
      // in range: few
      if held.candidates.count < 64 { early?.candidates.append(candidate) }
      return
    }
    guard let leg = stay?.leg, leg.state != .dead, AudioOnlyDescription.isOfAudio(candidate, in: leg.audio) else {
      return
    }
    ask(.room(.candidate(leg.label, CandidateMessage(candidate: candidate.candidate))), for: .report)
  }

  mutating func tell(_ candidate: CandidateMessage) {
    var object: JSONObject = ["candidate": .string(candidate.candidate)]
    if let mid = candidate.mid { object["sdpMid"] = .string(mid) }
    if let index = candidate.mLineIndex { object["sdpMLineIndex"] = .integer(Int64(index)) }
    tell(RemonFrame("onIce", channel: stay?.channel, body: JSONValue.object(object).text))
  }

  // MARK: Direct calls

  private mutating func relay(_ command: String, _ frame: RemonFrame, to partner: ParticipantID) throws(RemonFault) {
    guard mayPassOn() else {
      throw RemonFault(.general, "too much for the other client: 64 KiB a second, and 512 KiB at once, are passed on")
    }
    ask(.relay(RemonFrame(command, channel: stay?.channel, body: frame.body), to: partner))
  }

  // MARK: Ends

  /// The connection is over at this end.
  mutating func lost(_ label: PeerLabel) {
    guard stay?.leg?.label == label, stay?.leg?.state != .dead else { return }
    stay?.leg?.state = .dead
    tell(RemonFrame("onStateChange", channel: stay?.channel, body: RemonState.fail.rawValue))
  }

  /// Ends what is left of the connection.
  mutating func hangUp() {
    guard let leg = stay?.leg else { return }
    stay?.leg = nil
    if leg.state != .dead { ask(.room(.close(leg.label))) }
  }
}
