extension RTMPServer {
  /// Encoders only start sending after this status.
  mutating func allowPublish(_ stream: UInt32) {
    guard let index = index(of: stream), case .publishing(let name, isAllowed: false) = streams[index].activity else {
      return
    }
    streams[index].activity = .publishing(name, isAllowed: true)
    send(.user(.streamBegin(stream)))
    send(
      RTMPStatus(
        RTMPStatus.Code.publishStart, "\(name.name) is published.", more: [AMFMember("details", .string(name.name))]),
      on: stream)
  }

  mutating func allowPlay(_ stream: UInt32) {
    guard let index = index(of: stream), case .playing(let name, isAllowed: false) = streams[index].activity else {
      return
    }
    streams[index].activity = .playing(name, isAllowed: true)
    let details = [AMFMember("details", .string(name.name))]
    send(.user(.streamBegin(stream)))
    send(RTMPStatus(RTMPStatus.Code.playReset, "Playing \(name.name) anew.", more: details), on: stream)
    send(RTMPStatus(RTMPStatus.Code.playStart, "Playing \(name.name).", more: details), on: stream)
    send(StreamData("|RtmpSampleAccess", [true, true]).message(stream: stream), on: RTMPChannel.stream)
  }

  /// Ends the stream's activity at the shell's request; no `.unpublish` or `.stopPlay` follows.
  mutating func refuse(_ stream: UInt32, _ status: RTMPStatus) {
    guard let index = index(of: stream), streams[index].activity != .idle else { return }
    streams[index].activity = .idle
    send(status, on: stream)
  }

  mutating func endPlay(_ stream: UInt32) {
    guard let index = index(of: stream), case .playing(let name, _) = streams[index].activity else { return }
    streams[index].activity = .idle
    send(RTMPStatus(RTMPStatus.Code.playUnpublishNotify, "\(name.name) is unpublished."), on: stream)
    send(.user(.streamEnd(stream)))
  }

  mutating func send(_ tag: AudioTag, on stream: UInt32, _ timestamp: UInt32) {
    guard let index = index(of: stream), streams[index].isPlaying else { return }
    guard !streams[index].isPaused, streams[index].wantsAudio, let body = tag.body else { return }
    send(
      RTMPMessage(type: RTMPMessage.audio, stream: stream, timestamp: timestamp, body: body), on: RTMPChannel.audio)
  }

  mutating func send(_ metadata: [AMFMember], on stream: UInt32) {
    guard index(of: stream).map({ streams[$0].isPlaying }) ?? false else { return }
    send(
      StreamData(StreamData.metadata, [.object(metadata)]).message(stream: stream), on: RTMPChannel.stream)
  }
}
