import Music

/// Replies of the room.
extension KurentoServer {
  /// Most events held while a join is pending; a room sends a handful meanwhile.
  static let maximumEarlyEvents = 256

  mutating func joined(_ operation: OperationNumber, _ seating: Seating) {
    guard let awaited, awaited.operation == operation, case .join(let name) = awaited.purpose else { return }
    let seat = KurentoSeat(me: seating.participant, name: name.description, snapshot: seating.snapshot)
    self.seat = seat
    let members = seat.roster.musicians.map { musician in
      let none: KurentoMember.Streams = traits.takesEmptyStreamsForPublishing ? .absent : .none
      return KurentoMember(id: musician.name, streams: musician.isPublishing ? .webcam : none).json
    }
    finish(.success(.value(.array(members))))
    releaseEarly()
  }

  mutating func replied(_ operation: OperationNumber, _ reply: RoomReply) {
    guard let awaited, awaited.operation == operation else { return }
    switch (awaited.purpose, reply) {
    case (.publish, .answer(_, let sdp)): answered(seat?.name ?? "", sdp)
    case (.subscribe(let name, let label, _), .answer(_, let sdp)):
      answered(name, sdp)
      closeIfGivenUp(label)
    case (.unsubscribe, _): finish(.success(KurentoServer.unsubscribed))
    case (.unpublish, _), (.candidate, _): finish(.success(.done))
    case (.message, _):
      finish(.success(.done))
      releaseEarly()
    case (.leave, _): leave()
    case (.take, .take(let take, let number)):
      finish(.success(.members(["take": .string(take.description), "number": .integer(Int64(number))])))
    case (.cue, .cue(let cue)):
      finish(.success(.members(["text": .string(cue.text), "position": .measure(cue.position.seconds)])))
    case (.call, .returned(let value)): finish(.success(.members(["value": value.json])))
    case (.call, .done): finish(.success(.done))
    case (.status, .snapshot(let snapshot)): finish(.success(.members(KurentoRecorderEvent.status(snapshot.take))))
    default:
      let sentence = "the room answered something else than was asked"
      finish(.failure(JSONRPCError(code: JSONRPCError.internalError, sentence)))
    }
  }

  /// Sends the answer first, then the candidates that waited for it.
  private mutating func answered(_ name: String, _ sdp: String) {
    finish(.success(.members(["sdpAnswer": .string(sdp)])))
    tell(candidates: seat?.legs.answered(name, sdp) ?? [], of: name)
  }

  /// The musician stopped sending during the negotiation.
  private mutating func closeIfGivenUp(_ label: PeerLabel) {
    if seat?.legs.name(of: label) == nil { close(label) }
  }

  mutating func refused(_ operation: OperationNumber, _ refusal: RoomRefusal) {
    guard let awaited, awaited.operation == operation else { return }
    switch awaited.purpose {
    case .join:
      early = []
      fail(refusal, in: .join)
    case .publish(let hadStood): negotiationFailed(refusal, seat?.name ?? "", hadStood: hadStood)
    case .subscribe(let name, let label, let hadStood):
      negotiationFailed(refusal, name, hadStood: hadStood)
      if hadStood { closeIfGivenUp(label) }
    case .unpublish: fail(refusal, in: .unpublishing)
    // Succeeds even without a subscription.
    case .unsubscribe: finish(.success(KurentoServer.unsubscribed))
    // A candidate for a connection that has just ended is not a mistake of the client.
    case .candidate where refusal.code == .unknownPeer: finish(.success(.done))
    case .candidate: fail(refusal, in: .candidate)
    case .message:
      fail(refusal, in: .other)
      releaseEarly()
    // Without a seat, the client has left already.
    case .leave: leave()
    case .take, .cue, .status, .call: fail(refusal, in: .other)
    }
  }

  private mutating func negotiationFailed(_ refusal: RoomRefusal, _ name: String, hadStood: Bool) {
    fail(refusal, in: .media)
    tell(candidates: seat?.legs.refused(name, hadStood: hadStood) ?? [], of: name)
  }

  private mutating func fail(_ refusal: RoomRefusal, in context: KurentoRefusal.Context) {
    finish(.failure(KurentoRefusal.error(refusal, in: context)))
  }

  private mutating func leave() {
    finish(.success(.done))
    end(code: 1000, reason: "leaveRoom")
  }

  private mutating func releaseEarly() {
    let held = early
    early = []
    for event in held where !session.isEnded { receive(event) }
  }

  private mutating func tell(candidates: [CandidateMessage], of name: String) {
    for candidate in candidates { tell(.iceCandidate(endpointName: name, candidate)) }
  }
}
