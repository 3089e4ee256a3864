import Machines
import Music

/// The media server in the middle: connections that end at Jamjar under the other musicians' names.
///
/// Each of them carries the client's microphone to Jamjar, and the other musician's sound back.
extension XirSysServer {
  // MARK: Offers and answers

  /// Offers a connection to the client in the name of another musician.
  mutating func offer(as id: ParticipantID) {
    guard let leg = legs.begin(id, connection: nil) else { return }
    ask(.exchange(leg.label, with: id, offer: nil), for: .offer(id, leg.label))
  }

  mutating func send(offer sdp: String, _ label: PeerLabel, as id: ParticipantID) {
    guard var leg = legs[id], leg.label == label else { return ask(.close(label)) }
    leg.state = .open
    let candidates = leg.gate.open(sdp)
    legs[id] = leg
    let offer = AudioOnlyDescription.addingVideo(to: sdp)
    say(.offer(sdp: offer), connection: leg.connection, as: id)
    for candidate in candidates { say(.candidate(candidate), connection: leg.connection, as: id) }
  }

  /// The client offers a connection to another musician, or renews one.
  mutating func offered(_ sdp: String, _ connection: String?, to id: ParticipantID) {
    // Dialect B names no connections; the offer's origin does.
    let connection = connection ?? "\(sessionID)-by-client"
    if var leg = legs[id] {
      let isSame = leg.connection == connection
      if isSame, leg.state == .dead {
        // It restarts what is over at this end: the handshake cannot be repeated, so both begin anew.
        return renew(id)
      }
      if isSame, leg.state == .open {
        leg.audio = AudioOnlyDescription.AudioPlace(in: sdp)
        leg.gate.begin()
        legs[id] = leg
        return ask(.restart(leg.label, offer: sdp), for: .answer(id, leg.label, connection: connection))
      }
      // Another connection instead of the former: the app was started again, or both have offered.
      if leg.state != .dead { ask(.close(leg.label)) }
    }
    guard var leg = legs.begin(id, connection: connection) else { return }
    leg.audio = AudioOnlyDescription.AudioPlace(in: sdp)
    legs[id] = leg
    ask(.exchange(leg.label, with: id, offer: sdp), for: .answer(id, leg.label, connection: connection))
  }

  mutating func send(answer sdp: String, _ label: PeerLabel, connection: String, as id: ParticipantID) {
    guard var leg = legs[id], leg.label == label else { return ask(.close(label)) }
    leg.state = .open
    let candidates = leg.gate.open(sdp)
    legs[id] = leg
    say(.answer(sdp: sdp), connection: connection, as: id)
    for candidate in candidates { say(.candidate(candidate), connection: connection, as: id) }
  }

  /// The client answers an offer that Jamjar made for another musician.
  mutating func answered(_ sdp: String, by id: ParticipantID) {
    guard var leg = legs[id], leg.isOurs, leg.state == .open else { return }
    leg.audio = AudioOnlyDescription.AudioPlace(in: sdp)
    legs[id] = leg
    // Refused, it is worth the same as a connection that fails.
    ask(.answer(leg.label, sdp: AudioOnlyDescription.audioOnly(sdp)), for: .check(id, leg.label))
  }

  mutating func add(_ candidate: CandidateMessage, for id: ParticipantID) {
    guard let leg = legs[id], leg.state != .dead, AudioOnlyDescription.isOfAudio(candidate, in: leg.audio) else {
      return
    }
    ask(.candidate(leg.label, CandidateMessage(candidate: candidate.candidate)))
  }

  // MARK: Events

  mutating func tell(_ candidate: CandidateMessage, of label: PeerLabel) {
    guard let id = legs.id(of: label), var leg = legs[id] else { return }
    let placed = leg.gate.pass(candidate)
    legs[id] = leg
    if let placed { say(.candidate(placed), connection: leg.connection, as: id) }
  }

  mutating func connectionChanged(_ label: PeerLabel, to state: RoomEvent.PeerState) {
    guard let id = legs.id(of: label) else { return }
    switch state {
    case .connecting: break
    case .connected: legs.succeeded(id)
    case .disconnected: legs[id]?.lostAt = time
    // A goodbye may still be on its way.
    case .failed, .closed: lost(id)
    }
  }

  // MARK: Ends

  /// Marks a leg as over at this end.
  mutating func lost(_ id: ParticipantID) {
    legs[id]?.state = .dead
    legs[id]?.lostAt = time
  }

  /// Ends what is left of a leg, and offers again: nobody waits for ever.
  mutating func renew(_ id: ParticipantID) {
    guard let leg = legs[id] else { return }
    say(.bye, connection: leg.connection, as: id)
    if leg.state != .dead { ask(.close(leg.label)) }
    legs[id] = nil
    guard legs.mayTryAgain(id), roster?.name(of: id) != nil else { return }
    offer(as: id)
  }

  /// The client has hung up.
  mutating func hangUp(_ id: ParticipantID) {
    guard let leg = legs.forget(id), leg.state != .dead else { return }
    ask(.close(leg.label))
  }

  /// The other musician has hung up or left.
  mutating func giveUp(_ id: ParticipantID, name: String? = nil) {
    guard let leg = legs.forget(id) else { return }
    say(.bye, connection: leg.connection, as: id, name: name)
    if leg.state != .dead { ask(.close(leg.label)) }
  }

  /// Says something to the client in the name of another musician.
  mutating func say(
    _ content: XirSysMessage.Content, connection: String, as id: ParticipantID, name: String? = nil
  ) {
    guard let me, let name = name ?? roster?.name(of: id) else { return }
    let message = XirSysMessage(content, connection: connection)
    outputs.append(.notify(listener.text(message, from: name, to: me.name)))
  }
}
