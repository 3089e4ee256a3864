import Machines
import Music

/// Media connections: subscriptions, and the order of JSEP. A publisher makes an offer, and a subscriber answers ours.
extension OpenTokServer {
  // MARK: Subscriptions

  mutating func subscribe(
    _ id: String, to stream: OpenTokStream, _ message: RaptorMessage, _ transaction: String?
  ) throws(OpenTokRefusal) {
    guard id.utf8.count <= OpenTokChannel.longestID else {
      throw .badRequest("a subscriber's id has \(OpenTokChannel.longestID) bytes at most; a UUID is right")
    }
    let use = OpenTokLeg.Use.subscriber(id, of: stream.id)
    guard legs.find(use) == nil else { throw .conflict("there is such a subscriber already") }
    guard var leg = legs.begin(use) else {
      throw OpenTokRefusal(status: 429, "this client has \(OpenTokLegs.most) connections; end others first")
    }
    leg.source = stream.participant
    let channels = message.content["channel"]?.array
    leg.isSilenced =
      channels?.contains { channel in
        channel.object?["type"]?.string == "audio" && OpenTokChannel.isActive(channel.object?["active"]) == false
      } ?? false
    legs[leg.label] = leg
    ask(
      .room(.subscribe(leg.label, to: .participant(stream.participant), offer: nil)),
      for: .subscribe(transaction: transaction, leg.label, message.place))
  }

  /// The client wants to hear a stream, or no longer.
  mutating func listen(
    _ id: String, to stream: OpenTokStreamID, _ channel: String, _ content: JSONObject
  ) throws(OpenTokRefusal) {
    guard var leg = legs.find(.subscriber(id, of: stream)), let source = leg.source else {
      throw .notFound("there is no such subscriber")
    }
    let channels = state?.streams.first { $0.id == stream }.map { self.channels($0) }
    guard channels?.first(where: { $0.id == channel })?.kind == .audio,
      let isActive = OpenTokChannel.isActive(content["active"]), leg.isSilenced == isActive
    else { return }
    leg.isSilenced = !isActive
    legs[leg.label] = leg
    if leg.isOpen { ask(.room(.redirect(leg.label, to: isActive ? .participant(source) : nil))) }
  }

  mutating func close(_ leg: OpenTokLeg) {
    legs.remove(leg.label)
    if case .publisher(let stream) = leg.use {
      ask(.media(stream, .close(leg.label)))
    } else {
      ask(.room(.close(leg.label)))
    }
  }

  // MARK: JSEP

  mutating func negotiate(_ message: RaptorMessage, _ transaction: String?) throws(OpenTokRefusal) {
    switch (message.method, message.place.object) {
    case (.offer, .stream(let id)):
      try publish(own(try streamID(id)).id, try OpenTokWire.sdp(message.content), transaction)
    case (.answer, .subscriber(let id, let stream)):
      let leg = try leg(.subscriber(id, of: try streamID(stream)))
      ask(
        .room(.answer(leg.label, sdp: try OpenTokWire.sdp(message.content))), for: .plain(transaction: transaction))
    case (.candidate, .stream(let id)):
      let stream = try streamID(id)
      let leg = try leg(.publisher(of: stream))
      ask(
        .media(stream, .candidate(leg.label, try OpenTokWire.candidate(message.content))),
        for: .plain(transaction: transaction))
    case (.candidate, .subscriber(let id, let stream)):
      let leg = try leg(.subscriber(id, of: try streamID(stream)))
      ask(
        .room(.candidate(leg.label, try OpenTokWire.candidate(message.content))), for: .plain(transaction: transaction))
    default:
      throw .badRequest("publishers send offers and candidates to their stream, subscribers answers and candidates")
    }
  }

  private mutating func publish(
    _ stream: OpenTokStreamID, _ sdp: String, _ transaction: String?
  ) throws(OpenTokRefusal) {
    if var leg = legs.find(.publisher(of: stream)) {
      leg.gate.begin()
      legs[leg.label] = leg
      return ask(
        .media(stream, .restart(leg.label, offer: sdp)), for: .publish(transaction: transaction, leg.label))
    }
    guard let leg = legs.begin(.publisher(of: stream)) else {
      throw OpenTokRefusal(status: 429, "too many connections")
    }
    ask(.media(stream, .publish(leg.label, offer: sdp)), for: .publish(transaction: transaction, leg.label))
  }

  private func leg(_ use: OpenTokLeg.Use) throws(OpenTokRefusal) -> OpenTokLeg {
    guard let leg = legs.find(use) else { throw .notFound("there is no such media connection") }
    return leg
  }
}
