extension RTMPServer {
  /// Handles names that belong to RTMP itself and never reach the application; false for all others.
  mutating func perform(_ command: RTMPCommand, _ ticket: RTMPCallTicket, on stream: UInt32) -> Bool {
    switch command.name {
    case "connect":
      answer(ticket, RTMPCallError(.invocationException, "The connection is connected already").callStatus)
    case "createStream": createStream(ticket)
    case "deleteStream": deleteStream(command.arguments.first, on: stream)
    case "closeStream": stop(stream)
    case "releaseStream", "FCPublish", "FCSubscribe", "_checkbw", "checkBandwidth": answer(ticket, .void)
    case "FCUnpublish":
      if let name = command.arguments.first?.string, let found = streams.first(where: { $0.publishes(name) }) {
        stop(found.id)
      }
      answer(ticket, .void)
    case "publish": publish(command.arguments, on: stream)
    case "play", "play2": play(command.arguments, on: stream)
    case "pause": pause(command.arguments.first?.boolean ?? true, on: stream)
    case "seek":
      if isPlaying(stream) { send(RTMPStatus(RTMPStatus.Code.seekNotify, "Seeking is not possible live."), on: stream) }
    case "receiveAudio":
      if let index = index(of: stream) { streams[index].wantsAudio = command.arguments.first?.boolean ?? true }
    case "receiveVideo", "onFCPublish", RTMPCommand.result, RTMPCommand.error, RTMPCommand.status: break
    default: return false
    }
    return true
  }

  func index(of stream: UInt32) -> Int? {
    streams.firstIndex { $0.id == stream }
  }

  private func isPlaying(_ stream: UInt32) -> Bool {
    index(of: stream).map { streams[$0].isPlaying } ?? false
  }

  private mutating func createStream(_ ticket: RTMPCallTicket) {
    guard streams.count < limits.streams else {
      return answer(
        ticket, RTMPCallError(.generalException, "There are \(limits.streams) streams already").callStatus)
    }
    lastStream &+= 1
    streams.append(RTMPStream(id: lastStream))
    answer(ticket, .value(.number(Double(lastStream))))
  }

  /// By number; GStreamer sends the name, and others nothing except the message's stream.
  private mutating func deleteStream(_ which: AMFValue?, on stream: UInt32) {
    let id: UInt32? =
      switch which {
      case .number(let number)?: UInt32(exactly: number)
      case .string(let name)?: streams.first { $0.publishes(name) }?.id
      default: stream
      }
    guard let id, index(of: id) != nil else { return }
    stop(id)
    streams.removeAll { $0.id == id }
  }

  private mutating func publish(_ arguments: [AMFValue], on stream: UInt32) {
    // Flash's publish(false) means stop.
    if arguments.first == .boolean(false) { return stop(stream) }
    guard let index = index(of: stream), streams[index].activity == .idle else {
      return refusePublishing("Stream \(stream) was not created or is in use.", on: stream)
    }
    guard let name = arguments.first?.string.flatMap({ RTMPStreamName($0) }) else {
      return refusePublishing(RTMPStreamName.rule, on: stream)
    }
    let kind = arguments.count > 1 ? arguments[1].string.flatMap { RTMPPublishKind(rawValue: $0) } : nil
    streams[index].activity = .publishing(name, isAllowed: false)
    emit(.publish(stream: stream, name, kind ?? .live))
  }

  private mutating func refusePublishing(_ sentence: String, on stream: UInt32) {
    send(.error(RTMPStatus.Code.publishBadName, sentence), on: stream)
    drop("a publication was refused: \(sentence)")
  }

  private mutating func play(_ arguments: [AMFValue], on stream: UInt32) {
    if arguments.first == .boolean(false) { return stop(stream) }
    guard let index = index(of: stream), streams[index].activity == .idle else {
      return send(.error(RTMPStatus.Code.playFailed, "Stream \(stream) was not created or is in use."), on: stream)
    }
    guard let name = arguments.first?.string.flatMap({ RTMPStreamName($0) }) else {
      return send(.error(RTMPStatus.Code.playStreamNotFound, RTMPStreamName.rule), on: stream)
    }
    streams[index].activity = .playing(name, isAllowed: false)
    streams[index].isPaused = false
    streams[index].wantsAudio = true
    emit(.play(stream: stream, name))
  }

  private mutating func pause(_ isPaused: Bool, on stream: UInt32) {
    guard let index = index(of: stream), streams[index].isPlaying else { return }
    streams[index].isPaused = isPaused
    let code = isPaused ? RTMPStatus.Code.pauseNotify : RTMPStatus.Code.unpauseNotify
    send(RTMPStatus(code, isPaused ? "Paused." : "Going on."), on: stream)
  }

  /// Ends the activity of the stream, but keeps the stream.
  private mutating func stop(_ stream: UInt32) {
    guard let index = index(of: stream) else { return }
    let activity = streams[index].activity
    streams[index].activity = .idle
    switch activity {
    case .publishing(let name, let isAllowed):
      if isAllowed {
        send(RTMPStatus(RTMPStatus.Code.unpublishSuccess, "\(name.name) is unpublished."), on: stream)
      }
      emit(.unpublish(stream: stream))
    case .playing: emit(.stopPlay(stream: stream))
    case .idle: break
    }
  }
}
