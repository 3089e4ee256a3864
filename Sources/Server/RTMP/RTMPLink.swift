import Logging
import Machines
import NIOCore
import Rooms
import ServiceLifecycle
import Signaling

/// One RTMP connection: pumps an `RTMPServer` between a socket and the room's side.
///
/// Everything that happens goes through one queue, so the machine is touched by one task alone.
struct RTMPLink {
  typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  let services: RTMPServices

  /// Steps that may wait: events and answers for a client that does not read.
  private static let backlog = 4_096
  private static let tickInterval = Duration.seconds(1)
  /// Time for the client to read what was sent last.
  private static let farewell = TimeAmount.milliseconds(250)

  /// Serves the connection until it is closed.
  func run(_ stream: Stream) async {
    let channel = stream.channel
    let (steps, queue) = AsyncStream.makeStream(of: RTMPStep.self, bufferingPolicy: .bufferingOldest(RTMPLink.backlog))
    let put: @Sendable (RTMPStep) -> Void = { step in
      // Who cannot be told is cut.
      if case .dropped = queue.yield(step) { channel.close(promise: nil) }
    }
    let member = RTMPMember(services: services, put: put)
    do {
      try await stream.executeThenClose { inbound, outbound in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            do { for try await chunk in inbound { put(.bytes(Array(chunk.readableBytesView))) } } catch {}
            put(.disconnected)
          }
          group.addTask {
            while (try? await Task.sleep(for: RTMPLink.tickInterval)) != nil { put(.tick) }
          }
          async let working: Void = member.run()
          await withGracefulShutdownHandler {
            await pump(steps, member, outbound)
          } onGracefulShutdown: {
            put(.shutdown)
          }
          outbound.finish()
          member.finish()
          _ = channel.eventLoop.scheduleTask(in: RTMPLink.farewell) { channel.close(promise: nil) }
          group.cancelAll()
          // Not cancelled: what has come in is still recorded.
          await working
        }
      }
    } catch {
      services.logger.debug("an RTMP connection broke", metadata: ["error": "\(error)"])
    }
  }

  private func pump(
    _ steps: AsyncStream<RTMPStep>, _ member: RTMPMember, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async {
    // Flash's signed handshake, which ffmpeg's players check.
    let digest = RTMPDigest { key, message in WebhookSignature.code(message, key: key) }
    var machine = RTMPServer(seed: .random(in: .min ... .max), digest: digest, at: MonotonicClock.now)
    var objects = RTMPObjectUses()
    var isLost = false
    for await step in steps {
      let now = MonotonicClock.now
      switch step {
      case .bytes(let bytes): machine.handle(.bytes(bytes), at: now)
      case .disconnected:
        isLost = true
        machine.handle(.lost, at: now)
      case .input(let input): machine.handle(input, at: now)
      case .event(.sharedObject(let event)): machine.handle(.sharedObject(objects.message(for: event)), at: now)
      case .event(let event):
        if let (name, arguments) = event.rtmpPush { machine.handle(.push(name, arguments), at: now) }
        if case .closed(let reason) = event { machine.handle(.close(reason.rawValue), at: now) }
      case .refusedObject(let refusal, let name):
        machine.handle(.sharedObject(objects.refusal(refusal, of: name)), at: now)
      case .tick: machine.advance(to: now)
      case .shutdown: machine.handle(.close("the service stops"), at: now)
      }
      while let output = machine.next() {
        switch output {
        case .send(let bytes):
          guard (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil else { return }
        case .connect(let request): member.ask(.connect(request))
        case .call(let request): member.ask(.call(request))
        case .sharedObject(let message):
          do throws(RoomRefusal) {
            member.ask(.object(message, try objects.commands(of: message)))
          } catch {
            machine.handle(.sharedObject(objects.refusal(error, of: message.name)), at: now)
          }
        case .publish(let stream, let name, _): member.ask(.publish(stream: stream, name))
        case .unpublish(let stream): member.ask(.unpublish(stream: stream, isLost: isLost))
        case .play(let stream, let name): member.ask(.play(stream: stream, name))
        case .stopPlay(let stream): member.ask(.stopPlay(stream: stream))
        case .metadata: break
        case .audio(let stream, let timestamp, let tag):
          member.take(tag, stream: stream, timestamp: timestamp, at: now)
        case .dropped(let sentence):
          services.logger.info("an RTMP message was dropped", metadata: ["reason": "\(sentence)"])
        case .closed(let sentence):
          services.logger.info("an RTMP connection ended", metadata: ["reason": "\(sentence)"])
          return
        }
      }
    }
  }
}
