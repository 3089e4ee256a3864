import Machines

/// The server side of one RTMP connection: bytes in, requests for the shell and bytes out.
///
/// The shell answers each `.connect` with `.accept` or `.reject`, and each `.call` whose ticket requires it with
/// `.answer` or `.fail`. It answers each `.publish` with `.allowPublish` or `.refuse`, and each `.play` with
/// `.allowPlay` or `.refuse`. Bytes that violate the protocol end the connection; unreadable values only cost their
/// message. After `.closed` there is no more output: the shell sends pending data, closes its sending half and, 250
/// ms later, the rest.
package struct RTMPServer: ~Copyable, Machine {
  package enum Input: Sendable {
    /// Bytes from the client.
    case bytes([UInt8])
    /// No data from the client is waiting to be read, so unsolicited messages may be sent now. A client that has gone
    /// after sending its data responds to anything with a reset, which would discard data not yet read.
    case caughtUp
    /// More data is waiting than can be processed: the client is not silent.
    case busy
    /// Accepts the client; these members are added to the properties of the answer.
    case accept(properties: [AMFMember])
    /// Refuses the client; `RTMPCallError.connectStatus` provides the status.
    case reject(RTMPStatus)
    case answer(RTMPCallTicket, RTMPAnswer)
    case fail(RTMPCallTicket, RTMPCallError)
    /// A call to the client without an answer.
    case push(String, [AMFValue])
    /// For a subscriber; null in a change or success is sent as a removal.
    case sharedObject(RTMPObjectMessage)
    case allowPublish(stream: UInt32)
    case allowPlay(stream: UInt32)
    /// Refuses or ends the stream's publishing or playing; the stream itself remains.
    case refuse(stream: UInt32, RTMPStatus)
    /// The publisher of the played stream is gone: without this message, players wait forever.
    case endPlay(stream: UInt32)
    case status(stream: UInt32, RTMPStatus)
    /// Audio for a player; `timestamp` in milliseconds.
    case audio(stream: UInt32, timestamp: UInt32, AudioTag)
    case metadata(stream: UInt32, [AMFMember])
    /// The data waiting in the shell to be sent; above the limits, the client is too slow and the connection ends.
    case backlog(bytes: Int, messages: Int)
    /// Closes the connection with this sentence for the client.
    case close(String)
    /// The connection was lost.
    case lost
  }

  package enum Output: Hashable, Sendable {
    case send([UInt8])
    case connect(RTMPConnectRequest)
    case call(RTMPCallRequest)
    /// Events that clients may send, in order, for a valid name; an empty list is a no-op of the iOS library.
    case sharedObject(RTMPObjectMessage)
    case publish(stream: UInt32, RTMPStreamName, RTMPPublishKind)
    /// The end of a `.publish`.
    case unpublish(stream: UInt32)
    case play(stream: UInt32, RTMPStreamName)
    /// The end of a `.play`.
    case stopPlay(stream: UInt32)
    /// Audio of a stream with permission to publish; `timestamp` in milliseconds modulo 2^32.
    case audio(stream: UInt32, timestamp: UInt32, AudioTag)
    case metadata(stream: UInt32, [AMFMember])
    /// A message was dropped for this reason; only the first few are reported.
    case dropped(String)
    /// The connection has ended, with a sentence for the log.
    case closed(String)
  }

  enum Phase: Hashable, Sendable {
    case handshake
    case awaitingConnect
    /// The shell has been asked; later messages wait.
    case deciding(RTMPCallTicket, isEnhanced: Bool, objectEncoding: Int)
    case connected
    case closed
  }

  let limits: RTMPLimits
  let start: MonotonicTime
  var phase = Phase.handshake
  /// Times of the last byte, of the last ping, and of the start of the phase.
  var lastByte: MonotonicTime
  var lastPing: MonotonicTime
  var phaseStart: MonotonicTime
  private var handshake: RTMPServerHandshake
  var reader: ChunkReader
  var writer = ChunkWriter()
  private var outputs = OutputQueue<Output>()
  /// Bytes to be sent as one `.send` before the next other output.
  var outgoing: [UInt8] = []
  var acknowledging = RTMPAcknowledging()
  var commandRate: RateLimit
  var pingRate: RateLimit
  var streams: [RTMPStream] = []
  var lastStream: UInt32 = 0
  /// The shared objects in use by the client, and those for which it uses type 16.
  var sharedObjects: Set<String> = []
  var sharedObjectsInAMF3: Set<String> = []
  var sentences = 0
  /// The client's last limit for our bandwidth.
  var peerBandwidth: UInt32?

  /// Creates a machine for a connection opened at `now`. `seed` generates the handshake's bytes. Without `digest`,
  /// Flash's signed handshake is answered with the simple one, which every client accepts.
  package init(
    seed: UInt64, digest: RTMPDigest? = nil, limits: RTMPLimits = RTMPLimits(), at now: MonotonicTime
  ) {
    self.limits = limits
    start = now
    lastByte = now
    lastPing = now
    phaseStart = now
    handshake = RTMPServerHandshake(seed: seed, digest: digest)
    reader = ChunkReader(limits: limits)
    commandRate = RateLimit(perSecond: limits.commandsPerSecond, burst: limits.commandBurst)
    pingRate = RateLimit(perSecond: limits.pingsPerSecond, burst: limits.pingsPerSecond)
  }

  package mutating func next() -> Output? {
    if let output = outputs.next() { return output }
    guard !outgoing.isEmpty else { return nil }
    defer { outgoing = [] }
    return .send(outgoing)
  }

  /// Queues an output after everything sent before it.
  mutating func emit(_ output: Output) {
    if !outgoing.isEmpty {
      outputs.append(.send(outgoing))
      outgoing = []
    }
    outputs.append(output)
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard phase != .closed else { return }
    switch input {
    case .bytes(let bytes): receive(bytes, at: now)
    case .caughtUp:
      if phase == .connected, let total = acknowledging.due() { send(.acknowledgement(total)) }
    case .busy: lastByte = now
    case .accept(let properties): accept(properties, at: now)
    case .reject(let status): reject(status)
    case .backlog(let bytes, let messages): check(bytes: bytes, messages: messages)
    case .close(let sentence): close(telling: sentence)
    case .lost: end("the client closed the connection")
    case .answer, .fail, .push, .sharedObject, .allowPublish, .allowPlay, .refuse, .endPlay, .status, .audio, .metadata:
      if phase == .connected { perform(input) }
    }
  }

  private mutating func perform(_ input: Input) {
    switch input {
    case .answer(let ticket, let answer): self.answer(ticket, answer)
    case .fail(let ticket, let error): answer(ticket, error.callStatus)
    case .push(let name, let arguments): send(RTMPCommand(name, arguments))
    case .sharedObject(let message): send(message)
    case .allowPublish(let stream): allowPublish(stream)
    case .allowPlay(let stream): allowPlay(stream)
    case .refuse(let stream, let status): refuse(stream, status)
    case .endPlay(let stream): endPlay(stream)
    case .status(let stream, let status): send(status, on: stream)
    case .audio(let stream, let timestamp, let tag): send(tag, on: stream, timestamp)
    case .metadata(let stream, let members): send(members, on: stream)
    default: break
    }
  }

  private mutating func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    lastByte = now
    var bytes = bytes[...]
    if phase == .handshake {
      do throws(RTMPViolation) {
        outgoing += try handshake.receive(&bytes, clock: clock(at: now))
      } catch {
        return end(error.description)
      }
      guard handshake.isComplete else { return }
      phase = .awaitingConnect
      phaseStart = now
    }
    guard !bytes.isEmpty else { return }
    acknowledging.received(bytes.count)
    reader.append(Array(bytes))
    pump(at: now)
  }
}

extension RTMPServer {
  package var deadline: MonotonicTime? {
    switch phase {
    case .handshake: start + limits.handshakeTime
    case .awaitingConnect: phaseStart + limits.connectTime
    case .deciding: lastByte + limits.silence
    case .connected: min(max(lastByte, lastPing) + limits.pingTime, lastByte + limits.silence)
    case .closed: nil
    }
  }

  package mutating func advance(to now: MonotonicTime) {
    guard let deadline, now >= deadline else { return }
    switch phase {
    case .handshake: end("the handshake took longer than \(Int(limits.handshakeTime.seconds)) seconds")
    case .awaitingConnect: end("no connect came within \(Int(limits.connectTime.seconds)) seconds")
    case .deciding, .connected:
      guard now < lastByte + limits.silence else {
        return end("the client was silent for \(Int(limits.silence.seconds)) seconds")
      }
      lastPing = now
      send(.user(.pingRequest(clock(at: now))))
    case .closed: break
    }
  }

  /// Our clock for handshake and pings: milliseconds since opening, modulo 2^32.
  func clock(at now: MonotonicTime) -> UInt32 {
    UInt32(truncatingIfNeeded: (now - start).nanoseconds / 1_000_000)
  }

  mutating func check(bytes: Int, messages: Int) {
    guard bytes > limits.backlogBytes || messages > limits.backlogMessages else { return }
    end("the client reads too slowly: \(bytes) bytes in \(messages) messages wait for it")
  }
}
