import Machines

extension RTMPServer {
  /// Our chunk size in bytes after the answer to `connect`.
  private static let chunkSize = 4096
  /// The limit type of a bandwidth that follows the last one (dynamic).
  private static let dynamicLimit: UInt8 = 2
  /// Properties that clients expect from servers; the text is arbitrary.
  private static let properties: [AMFMember] = [
    AMFMember("fmsVer", "FMS/3,5,7,7009"), AMFMember("capabilities", 31), AMFMember("mode", 1),
  ]
  /// The accepted codecs, each with 1: can be decoded.
  private static let codecs: [(name: String, ability: AMFValue)] = [("Opus", 1), ("fLaC", 1), ("mp4a", 1)]
  /// Multitrack, modifiers and nanosecond offsets.
  private static let abilities = 2 | 4 | 8

  /// Handles a client's first message.
  mutating func connect(_ message: RTMPMessage, at now: MonotonicTime) {
    guard message.type == RTMPMessage.command || message.type == RTMPMessage.commandAMF3 else {
      return end("the first message is of type \(message.type) instead of a connect")
    }
    let command: RTMPCommand
    do throws(RTMPCommandFailure) {
      command = try RTMPCommand(message)
    } catch {
      return end("the first message cannot be read: \(error.reason)")
    }
    guard command.name == "connect" else {
      return end("the first command is \(command.name.prefix(64)) instead of connect")
    }
    let ticket = RTMPCallTicket(transaction: command.transaction, isAMF3: command.isAMF3)
    guard let request = RTMPConnectRequest(command) else {
      phase = .deciding(ticket, isEnhanced: false, objectEncoding: 0)
      return reject(
        RTMPCallError(.serviceNotFound, "app must be up to 4 parts of letters, digits, . _ and -").connectStatus)
    }
    phase = .deciding(ticket, isEnhanced: request.isEnhanced, objectEncoding: request.objectEncoding)
    emit(.connect(request))
  }

  /// Answers in the order of Red5, FMS and nginx, with the numbers that rtmp-python requires. onBWDone is not sent,
  /// because clients take it for a push or crash on it.
  mutating func accept(_ properties: [AMFMember], at now: MonotonicTime) {
    guard case .deciding(let ticket, let isEnhanced, let objectEncoding) = phase else { return }
    send(.windowSize(RTMPAcknowledging.window))
    send(.peerBandwidth(RTMPAcknowledging.window, limit: RTMPServer.dynamicLimit))
    send(.user(.streamBegin(0)))
    send(.chunkSize(UInt32(RTMPServer.chunkSize)))
    writer.chunkSize = RTMPServer.chunkSize
    var more = [AMFMember("objectEncoding", .number(Double(objectEncoding)))]
    if isEnhanced {
      more.append(AMFMember("fourCcList", .array(RTMPServer.codecs.map { .string($0.name) })))
      more.append(AMFMember("audioFourCcInfoMap", .object(RTMPServer.codecs.map { AMFMember($0.name, $0.ability) })))
      more.append(AMFMember("capsEx", .number(Double(RTMPServer.abilities))))
    }
    let status = RTMPStatus(RTMPStatus.Code.connectSuccess, "Connection succeeded.", more: more)
    // A transaction of 0 is answered too, because every client waits for the result of `connect`.
    send(
      RTMPCommand(
        RTMPCommand.result, transaction: ticket.transaction, object: .object(RTMPServer.properties + properties),
        [status.value]))
    phase = .connected
    phaseStart = now
    lastPing = now
    reader.isConnected = true
    pump(at: now)
  }

  /// Refuses the connection; the iOS library only notices the close.
  mutating func reject(_ status: RTMPStatus) {
    guard case .deciding(let ticket, _, _) = phase else { return }
    send(RTMPCommand(RTMPCommand.error, transaction: ticket.transaction, [status.value]))
    end("the connect was refused: \(status.code), \(status.description)")
  }
}
