import Logging
import Machines
import NIOCore
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// One RTMP connection: pumps an `RTMPServer` between a socket and the room's side.
///
/// All events pass through one queue, so only one task uses the machine. The ends do not: the socket's end finishes the
/// queue, its owner's end finishes the room's side, and a stuck socket is closed from outside the pump.
struct RTMPLink {
  typealias Stream = NIOAsyncChannel<SocketBytes, ByteBuffer>

  let services: RTMPServices
  let places: ConnectionPlaces

  /// Most queued steps: events and responses for a client that does not read.
  private static let backlog = 4_096
  /// Most bytes of one connection in flight to the room: about ten seconds of music.
  private static let budget = 256 << 10
  private static let tickInterval = Duration.seconds(1)
  /// Time for the client to read the last bytes sent.
  private static let farewell = TimeAmount.milliseconds(250)
  /// Most bytes of events, answers and audio that wait for the client.
  private static let outgoing = 2 << 20
  /// The same for a client that may have other bytes to read first.
  private static let patientFarewell = TimeAmount.seconds(2)

  /// Serves the connection until it is closed.
  func run(_ stream: Stream) async {
    let channel = stream.channel
    let (steps, queue) = AsyncStream.makeStream(of: RTMPStep.self, bufferingPolicy: .bufferingOldest(RTMPLink.backlog))
    let logger = services.logger
    let waiting = OutgoingBytes(limit: RTMPLink.outgoing)
    let put: @Sendable (RTMPStep) -> Void = { step in
      // A client that cannot be notified is cut off.
      let fits = waiting.add(step.footprint)
      if fits {
        guard case .dropped = queue.yield(step) else { return }
      }
      if waiting.close() { logger.notice("an RTMP connection was cut off because its client does not read") }
      channel.close(promise: nil)
    }
    let id = ObjectIdentifier(channel).hashValue
    services.broker.ledger.begin(.rtmp, id)
    defer { services.broker.ledger.end(.rtmp, id) }
    let budget = ByteBudget(limit: RTMPLink.budget)
    let pace = WritePace()
    let reading = ReadingPace()
    let origin = Turnstile.Origin(channel)
    let member = RTMPMember(services: services, origin: origin, budget: budget, put: put) {
      channel.close(promise: nil)
    }
    let meter = RTMPConnections.Meter(address: origin.host, waiting: waiting) { member.facts }
    services.connections.add(meter)
    defer { services.connections.remove(meter) }
    do {
      try await stream.executeThenClose { inbound, outbound in
        await withTaskGroup(of: Void.self) { work in
          // Ends by itself after the connection: received audio is still recorded. At shutdown the rooms have ended
          // before, and there is nothing left to wait for.
          work.addTask { await cancelWhenGracefulShutdown { await member.run() } }
          await withTaskGroup(of: Void.self) { group in
            group.addTask {
              await read(inbound, budget, reading, meter, put)
              queue.finish()
            }
            group.addTask { await tick(channel, pace, put) }
            await withGracefulShutdownHandler {
              await pump(steps, channel, member, budget, waiting, reading, pace, meter, outbound)
            } onGracefulShutdown: {
              put(.shutdown)
              _ = channel.eventLoop.scheduleTask(in: RTMPLink.patientFarewell) { channel.close(promise: nil) }
            }
            outbound.finish()
            member.finish()
            _ = channel.eventLoop.scheduleTask(in: RTMPLink.farewell) { channel.close(promise: nil) }
            group.cancelAll()
          }
        }
      }
    } catch {
      services.logger.debug("an RTMP connection broke", metadata: ["error": "\(error)"])
    }
  }

  /// Reads no faster than the room's side consumes: the socket's sender waits, and nothing is lost.
  private func read(
    _ inbound: NIOAsyncChannelInboundStream<SocketBytes>, _ budget: ByteBudget, _ reading: ReadingPace,
    _ meter: RTMPConnections.Meter, _ put: @Sendable (RTMPStep) -> Void
  ) async {
    do {
      var iterator = inbound.makeAsyncIterator()
      while true {
        reading.waits(since: MonotonicClock.now)
        guard let chunk = try await iterator.next() else { return }
        reading.reads()
        meter.received(chunk.bytes.readableBytes)
        budget.add(chunk.bytes.readableBytes)
        put(.bytes(Array(chunk.bytes.readableBytesView), arrival: chunk.arrival))
        await budget.room()
      }
    } catch {
      services.logger.debug("an RTMP connection was reset", metadata: ["error": "\(error)"])
    }
  }

  /// Drives the timers, and cuts off a client that reads nothing while the pump waits for it.
  private func tick(_ channel: any Channel, _ pace: WritePace, _ put: @Sendable (RTMPStep) -> Void) async {
    while (try? await Task.sleep(for: RTMPLink.tickInterval)) != nil {
      if pace.isStuck(longerThan: .milliseconds(services.limits.streamStall), at: MonotonicClock.now) {
        return channel.close(promise: nil)
      }
      put(.tick)
    }
  }

  private func pump(
    _ steps: AsyncStream<RTMPStep>, _ channel: any Channel, _ member: RTMPMember, _ budget: ByteBudget,
    _ waiting: OutgoingBytes, _ reading: ReadingPace, _ pace: WritePace,
    _ meter: RTMPConnections.Meter, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async {
    // Flash's signed handshake, checked by ffmpeg's players.
    let digest = RTMPDigest { key, message in HMAC.sha256(message, key: key) }
    var machine = RTMPServer(seed: .random(in: .min ... .max), digest: digest, at: MonotonicClock.now)
    var objects = RTMPObjectUses()
    let start = MonotonicClock.now
    for await step in steps {
      let now = MonotonicClock.now
      var arrival = now
      switch step {
      case .bytes(let bytes, let time):
        arrival = time
        machine.handle(.bytes(bytes), at: now)
      case .input(let input):
        // A client that sends nothing after the handshake is idle.
        if case .accept = input { places.begin(channel) }
        machine.handle(input, at: now)
      case .answer(let input, _): machine.handle(input, at: now)
      case .event(.sharedObject(let event)): machine.handle(.sharedObject(objects.message(for: event)), at: now)
      case .event(let event):
        if let (name, arguments) = event.rtmpPush { machine.handle(.push(name, arguments), at: now) }
        if case .closed(let reason) = event { machine.handle(.close(reason.rawValue), at: now) }
      case .refusedObject(let refusal, let name):
        machine.handle(.sharedObject(objects.refusal(refusal, of: name)), at: now)
      case .tick:
        switch reading.state(at: now) {
        case .caughtUp: machine.handle(.caughtUp, at: now)
        case .busy: machine.handle(.busy, at: now)
        case .waiting: break
        }
        machine.advance(to: now)
        // Encoders may show their token with the stream's key, after the connect.
        if now - start >= .milliseconds(services.limits.proofTimeout), !places.isProven(channel) {
          let seconds = services.limits.proofTimeout / 1_000
          machine.handle(.close("no valid key or token was shown within \(seconds) seconds"), at: now)
        }
      case .shutdown: machine.handle(.close("the service stops"), at: now)
      }
      let isOpen = await carryOut(
        &machine, &objects, isLost: false, member, pace, meter, outbound, at: now, arrival: arrival)
      // Only after handing on its messages, which count on their own.
      switch step {
      case .bytes(let bytes, _): budget.remove(bytes.count)
      case .answer(_, let cost):
        budget.remove(cost)
        waiting.remove(step.footprint)
      default: waiting.remove(step.footprint)
      }
      guard isOpen else { return }
    }
    let now = MonotonicClock.now
    machine.handle(.lost, at: now)
    _ = await carryOut(&machine, &objects, isLost: true, member, pace, meter, outbound, at: now, arrival: now)
  }

  /// Performs an operation of the machine; false once the connection is over.
  private func carryOut(
    _ machine: inout RTMPServer, _ objects: inout RTMPObjectUses, isLost: Bool, _ member: RTMPMember,
    _ pace: WritePace, _ meter: RTMPConnections.Meter, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
    at now: MonotonicTime, arrival: MonotonicTime
  ) async -> Bool {
    var isWritable = !isLost
    while let output = machine.next() {
      switch output {
      case .send(let bytes):
        guard isWritable else { continue }
        pace.begin(at: MonotonicClock.now)
        isWritable = (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil
        pace.end(at: MonotonicClock.now)
        if isWritable { meter.sent(bytes.count) }
      case .connect(let request): member.ask(.connect(request))
      case .call(let request):
        member.ask(.call(request, cost: member.charge(request.footprint)))
      case .sharedObject(let message):
        do throws(RoomRefusal) {
          let commands = try objects.commands(of: message)
          member.ask(.object(message, commands, cost: member.charge(message.footprint)))
        } catch {
          machine.handle(.sharedObject(objects.refusal(error, of: message.name)), at: now)
        }
      case .publish(let stream, let name, _): member.ask(.publish(stream: stream, name))
      case .unpublish(let stream): member.ask(.unpublish(stream: stream, isLost: isLost))
      case .play(let stream, let name): member.ask(.play(stream: stream, name))
      case .stopPlay(let stream): member.ask(.stopPlay(stream: stream))
      case .metadata(let stream, let members): member.note(members, stream: stream)
      case .audio(let stream, let timestamp, let tag):
        member.take(tag, stream: stream, timestamp: timestamp, at: arrival)
      case .dropped(let sentence):
        services.logger.info("an RTMP message was dropped", metadata: ["reason": "\(sentence)"])
      case .closed(let sentence):
        // A scan or an idle client: not worth a log line each.
        services.logger.log(
          level: member.hasAsked ? .info : .debug, "an RTMP connection ended", metadata: ["reason": "\(sentence)"])
        return false
      }
    }
    guard !isWritable, !isLost else { return true }
    // The socket is gone: earlier messages still count, then its streams end as after any loss.
    machine.handle(.lost, at: now)
    return await carryOut(&machine, &objects, isLost: true, member, pace, meter, outbound, at: now, arrival: arrival)
  }
}

/// The inputs of an RTMP connection's pump from all sources. The socket's end is the end of the queue.
enum RTMPStep: Sendable {
  /// Bytes of the client, and when they came off the socket.
  case bytes([UInt8], arrival: MonotonicTime)
  /// The answer to a call, which occupies `cost` bytes of the budget until the client has been sent it.
  case answer(RTMPServer.Input, cost: Int)
  /// For the machine, from the room's side.
  case input(RTMPServer.Input)
  /// An event of the room.
  case event(RoomEvent)
  /// A message about shared objects for the client.
  case refusedObject(RoomRefusal, name: String)
  /// A tick of the clock.
  case tick
  /// The service stops.
  case shutdown
}

extension RTMPStep {
  /// Bytes of memory that the step takes while it waits for a client that does not read, estimated. What counts in the
  /// connection's budget is not counted twice; an answer may be much larger than its call, which alone counts there.
  fileprivate var footprint: Int {
    switch self {
    case .bytes: 0
    case .answer(.answer(_, .value(let value)), let cost): max(0, value.footprint &- cost)
    case .answer: 0
    case .input(.audio(_, _, let tag)): RTMPStep.small &+ tag.footprint
    case .event(let event): event.footprint
    case .input, .refusedObject, .tick, .shutdown: RTMPStep.small
    }
  }

  /// Bytes of a step without values.
  private static let small = 256
}

extension AudioTag {
  fileprivate var footprint: Int {
    switch content {
    case .header(let bytes), .frame(let bytes): bytes.count
    case .channels, .end: 0
    }
  }
}
