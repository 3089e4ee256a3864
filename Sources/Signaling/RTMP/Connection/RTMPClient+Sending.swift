extension RTMPClient {
  /// Our chunk size once connected, in bytes.
  private static let chunkSize = 4096

  mutating func send(_ message: RTMPMessage, on channel: UInt8) {
    writer.write(message, on: channel, into: &outgoing)
  }

  mutating func send(_ command: RTMPCommand, stream: UInt32 = 0) {
    var command = command
    command.isAMF3 = options.objectEncoding == 3 && command.name != "connect"
    send(command.message(stream: stream), on: RTMPChannel.command)
  }

  mutating func connect() {
    send(
      RTMPCommand(
        "connect", transaction: newTransaction(.connect), object: .object(options.members), options.parameters))
  }

  /// Handles the established connection: larger chunks from now on.
  mutating func connected(_ information: AMFValue) {
    isConnected = true
    send(RTMPControl.chunkSize(UInt32(RTMPClient.chunkSize)).message, on: RTMPChannel.control)
    writer.chunkSize = RTMPClient.chunkSize
    emit(.connected(information))
  }

  mutating func perform(_ input: Input) {
    switch input {
    case .call(let label, let name, let arguments):
      send(RTMPCommand(name, transaction: newTransaction(.call(label)), arguments))
    case .tell(let name, let arguments): send(RTMPCommand(name, arguments))
    case .sharedObject(var object):
      object.version = versions[object.name] ?? 0
      send(object.message(isAMF3: options.objectEncoding == 3), on: RTMPChannel.command)
    case .publish(let name):
      send(RTMPCommand("releaseStream", [.string(name)]))
      send(RTMPCommand("FCPublish", [.string(name)]))
      send(RTMPCommand("createStream", transaction: newTransaction(.publish(name))))
    case .unpublish(let stream):
      guard let name = published.removeValue(forKey: stream) else { return }
      send(RTMPCommand("FCUnpublish", [.string(name)]))
      send(RTMPCommand("deleteStream", [.number(Double(stream))]))
    case .play(let name): send(RTMPCommand("createStream", transaction: newTransaction(.play(name))))
    case .audio(let stream, let timestamp, let tag):
      guard let body = tag.body else { return }
      send(
        RTMPMessage(type: RTMPMessage.audio, stream: stream, timestamp: timestamp, body: body),
        on: RTMPChannel.audio)
    case .metadata(let stream, let members):
      let data = StreamData(StreamData.setFrame, [.string(StreamData.metadata), .object(members)])
      send(data.message(stream: stream), on: RTMPChannel.audio)
    case .bytes, .lost: break
    }
  }
}
