extension RTMPServer {
  mutating func send(_ message: RTMPMessage, on channel: UInt8) {
    writer.write(message, on: channel, into: &outgoing)
  }

  mutating func send(_ control: RTMPControl) {
    send(control.message, on: RTMPChannel.control)
  }

  /// Sends a command of the connection; those of streams are statuses.
  mutating func send(_ command: RTMPCommand) {
    send(command.message(), on: RTMPChannel.command)
  }

  mutating func send(_ status: RTMPStatus, on stream: UInt32) {
    send(
      RTMPCommand(RTMPCommand.status, [status.value]).message(stream: stream),
      on: stream == 0 ? RTMPChannel.command : RTMPChannel.stream)
  }

  mutating func answer(_ ticket: RTMPCallTicket, _ answer: RTMPAnswer) {
    guard ticket.wantsAnswer else { return }
    var arguments: [AMFValue] = []
    if case .value(let value) = answer { arguments = [value] }
    send(
      RTMPCommand(RTMPCommand.result, transaction: ticket.transaction, arguments, isAMF3: ticket.isAMF3))
  }

  mutating func answer(_ ticket: RTMPCallTicket, _ error: RTMPStatus) {
    guard ticket.wantsAnswer else { return }
    send(
      RTMPCommand(
        RTMPCommand.error, transaction: ticket.transaction, [error.value], isAMF3: ticket.isAMF3))
  }

  /// Drops a message and reports the reason, up to the client's limit of reports.
  mutating func drop(_ sentence: String) {
    guard sentences < limits.sentences else { return }
    sentences += 1
    emit(.dropped(sentence))
  }

  /// Ends an accepted connection with a status for the client.
  mutating func close(telling sentence: String) {
    switch phase {
    case .connected: send(RTMPStatus(RTMPStatus.Code.connectClosed, sentence), on: 0)
    case .deciding: return reject(.error(RTMPStatus.Code.connectFailed, sentence))
    case .handshake, .awaitingConnect, .closed: break
    }
    end(sentence)
  }

  /// Ends the connection, after ending all of the client's activities.
  mutating func end(_ sentence: String) {
    guard phase != .closed else { return }
    phase = .closed
    for stream in streams {
      switch stream.activity {
      case .publishing: emit(.unpublish(stream: stream.id))
      case .playing: emit(.stopPlay(stream: stream.id))
      case .idle: break
      }
    }
    streams = []
    emit(.closed(sentence))
  }
}
