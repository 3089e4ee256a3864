import Machines

/// The client side of an RTMP connection: handshake, connect, calls, shared objects, publishing and playing.
///
/// It starts sending by itself. To reveal server bugs, it is as strict as the strictest known client.
package struct RTMPClient: ~Copyable, Machine {
  package enum Input: Sendable {
    case bytes([UInt8])
    /// A call whose answer will have this label.
    case call(label: Int, String, [AMFValue])
    /// A call without an answer.
    case tell(String, [AMFValue])
    /// `use`, `requestChange`, `requestRemove`, `message`, `clear` or `release`; the version is filled in.
    case sharedObject(RTMPObjectMessage)
    /// Creates a stream and publishes on it.
    case publish(name: String)
    case unpublish(stream: UInt32)
    /// Creates a stream and plays it.
    case play(name: String)
    /// `timestamp` in milliseconds.
    case audio(stream: UInt32, timestamp: UInt32, AudioTag)
    case metadata(stream: UInt32, [AMFMember])
    case lost
  }

  package enum Output: Hashable, Sendable {
    case send([UInt8])
    /// Connected, with the information object of the answer.
    case connected(AMFValue)
    case rejected(RTMPStatus)
    case answered(label: Int, RTMPAnswer)
    case failed(label: Int, RTMPCallError)
    /// A call from the server to the client.
    case called(String, [AMFValue])
    case sharedObject(RTMPObjectMessage)
    /// A status about a stream, or (0) about the connection, including `publishStart` and `playStart`.
    case status(stream: UInt32, RTMPStatus)
    /// The server refused to create a stream.
    case noStream(RTMPCallError)
    case audio(stream: UInt32, timestamp: UInt32, AudioTag)
    case metadata(stream: UInt32, [AMFMember])
    /// The server has ended this stream.
    case streamEnd(UInt32)
    case closed(String)
  }

  /// The purpose of a transaction, for its answer.
  enum Purpose: Hashable, Sendable {
    case connect
    case call(Int)
    case publish(String)
    case play(String)
  }

  let options: RTMPClientOptions
  let limits: RTMPLimits
  private let start: MonotonicTime
  private var lastByte: MonotonicTime
  private var handshake: RTMPClientHandshake
  var reader: ChunkReader
  var writer = ChunkWriter()
  private var outputs = OutputQueue<Output>()
  var outgoing: [UInt8] = []
  var acknowledging = RTMPAcknowledging()
  var pending: [Double: Purpose] = [:]
  private var lastTransaction = 0.0
  /// The versions of shared objects last received from the server.
  var versions: [String: UInt32] = [:]
  /// The names of our publications.
  var published: [UInt32: String] = [:]
  var isConnected = false
  private(set) var isClosed = false

  package init(
    _ options: RTMPClientOptions = RTMPClientOptions(), seed: UInt64, digest: RTMPDigest? = nil,
    limits: RTMPLimits = .client, at now: MonotonicTime
  ) {
    self.options = options
    self.limits = limits
    start = now
    lastByte = now
    handshake = RTMPClientHandshake(seed: seed, digest: digest, clock: 0)
    reader = ChunkReader(limits: limits)
    outgoing = handshake.opening
  }

  /// Before the connection, the timeout for it; afterwards, the timeout for a silent server.
  package var deadline: MonotonicTime? {
    if isClosed { return nil }
    return isConnected ? lastByte + limits.silence : start + limits.handshakeTime + limits.connectTime
  }

  package mutating func advance(to now: MonotonicTime) {
    guard let deadline, now >= deadline else { return }
    end(isConnected ? "the server was silent for too long" : "the server took too long to answer")
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

  mutating func end(_ sentence: String) {
    guard !isClosed else { return }
    isClosed = true
    emit(.closed(sentence))
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    guard !isClosed else { return }
    switch input {
    case .bytes(let bytes): receive(bytes, at: now)
    case .lost: end("the server closed the connection")
    default: if isConnected { perform(input) }
    }
  }

  private mutating func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    lastByte = now
    var bytes = bytes[...]
    do throws(RTMPViolation) {
      if !handshake.isComplete {
        let milliseconds = UInt32(truncatingIfNeeded: (now - start).nanoseconds / 1_000_000)
        outgoing += try handshake.receive(&bytes, clock: milliseconds)
        if handshake.isComplete { connect() }
      }
      guard !bytes.isEmpty else { return }
      acknowledging.received(bytes.count)
      reader.append(Array(bytes))
      while !isClosed, let message = try reader.next() { try receive(message) }
      if let total = acknowledging.due() { send(RTMPControl.acknowledgement(total).message, on: RTMPChannel.control) }
    } catch {
      end(error.description)
    }
  }

  /// Returns a transaction number for a command with an answer.
  mutating func newTransaction(_ purpose: Purpose) -> Double {
    lastTransaction += 1
    pending[lastTransaction] = purpose
    return lastTransaction
  }
}

extension RTMPLimits {
  /// A client's limits for its server: a shared object of full size comes in one message.
  package static var client: RTMPLimits {
    var limits = RTMPLimits()
    limits.message = 4 << 20
    limits.earlyMessage = 4 << 20
    limits.unfinished = 8 << 20
    limits.events = 4096
    return limits
  }
}

/// A client's connection options.
package struct RTMPClientOptions: Hashable, Sendable {
  /// The path on the server with its query. Nil is the root; `connect` then contains no `app`, as in the iOS library.
  package var app: String?
  package var tcURL: String?
  /// Values after the command object.
  package var parameters: [AMFValue]
  package var flashVersion = "Jamjar"
  /// Says, as encoders do, that it only publishes: servers then ask for its key with the stream's name, not before.
  package var onlyPublishes = false
  /// With 3, calls are sent as type 17 and shared objects as type 16.
  package var objectEncoding = 0
  /// Codecs to offer with Enhanced RTMP; if empty, the keys are left out.
  package var codecs: [String] = []
  /// Asks for the room's events.
  package var wantsEvents = false

  package init(app: String? = nil, tcURL: String? = nil, parameters: [AMFValue] = []) {
    self.app = app
    self.tcURL = tcURL
    self.parameters = parameters
  }

  /// The command object of `connect`.
  var members: [AMFMember] {
    var members: [AMFMember] = []
    if let app {
      members.append(AMFMember("app", .string(app)))
      if onlyPublishes { members.append(AMFMember("type", "nonprivate")) }
      let version = onlyPublishes ? "FMLE/3.0 (compatible; \(flashVersion))" : flashVersion
      members.append(AMFMember("flashVer", .string(version)))
    }
    if let tcURL { members.append(AMFMember("tcUrl", .string(tcURL))) }
    if !codecs.isEmpty { members.append(AMFMember("fourCcList", .array(codecs.map { .string($0) }))) }
    if wantsEvents { members.append(AMFMember("jamjarEvents", true)) }
    members.append(AMFMember("objectEncoding", .number(Double(objectEncoding))))
    return members
  }
}
