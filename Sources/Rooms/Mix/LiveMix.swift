import Machines
import Music
import Realtime
import Recording
import Synchronization

/// The live mix of one room on its own thread: packets from the room's loop in, packets to it out.
///
/// The room's thread only puts packets into a bounded queue, so decoding and encoding never delay what musicians hear
/// of each other.
actor LiveMix {
  /// One packet of one output, ready to forward.
  struct Packet: Sendable {
    var output: LiveMixOutput
    var received: ReceivedPacket
  }

  private struct Offer {
    var packet: ReceivedPacket
    var source: ParticipantID
    var reading: Forwarder.Source
  }

  /// The items waiting between the two threads.
  private struct Inbox {
    var offers: [Offer] = []
    var outputs: Set<LiveMixOutput> = []
    var removed: [ParticipantID] = []
    var isOver = false
  }

  /// How often the mix checks for packets and due output: a quarter of the shortest packet that it sends.
  private static let interval = MonotonicTime.Span.microseconds(2_500)
  /// Packets of three musicians in half a second, at 5 ms each; a mix further behind has lost them anyway.
  private static let capacity = 300
  /// Maximum number of batches waiting for the room; a room that takes none for this long is stuck.
  private static let backlog = 64

  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// The mix's output, in order; ends with the mix.
  nonisolated let packets: AsyncStream<[Packet]>
  private nonisolated let sink: AsyncStream<[Packet]>.Continuation
  private nonisolated let inbox = Mutex(Inbox())
  private nonisolated let release: @Sendable (MediaLoop) -> Void
  private var mixer: LiveMixer
  /// The musicians' arrivals before the mix began, until they are sources.
  private var histories: [ParticipantID: LiveHistory]
  private var streams: [LiveMixOutput: LiveMixStream] = [:]
  private var ticker: Ticker?

  /// - Parameter histories: how the musicians' packets have arrived so far.
  /// - Throws: `OpusFailure` if libopus runs out of memory.
  init(
    loop: MediaLoop, after histories: [ParticipantID: LiveHistory], release: @escaping @Sendable (MediaLoop) -> Void
  ) throws {
    self.loop = loop
    self.histories = histories
    self.release = release
    (packets, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(LiveMix.backlog))
    mixer = try LiveMixer()
    // The room's thread, which creates the mix, must not wait for the mix's thread; packets are queued until it
    // starts.
    Task { await start() }
  }

  // MARK: From the room's thread

  /// Takes a musician's packet without waiting.
  nonisolated func offer(_ packet: ReceivedPacket, of source: ParticipantID, reading: Forwarder.Source) {
    inbox.withLock { inbox in
      guard inbox.offers.count < LiveMix.capacity else { return }
      inbox.offers.append(Offer(packet: packet, source: source, reading: reading))
    }
  }

  /// Removes a musician who has left.
  nonisolated func remove(_ source: ParticipantID) {
    inbox.withLock { inbox in
      inbox.offers.removeAll { $0.source == source }
      inbox.removed.append(source)
    }
  }

  nonisolated func setOutputs(_ outputs: Set<LiveMixOutput>) {
    inbox.withLock { $0.outputs = outputs }
  }

  /// Ends the mix and its stream.
  nonisolated func end() {
    inbox.withLock { $0.isOver = true }
    sink.finish()
  }

  // MARK: On the mix's thread

  private func start() {
    // It retains the mix until the mix ends.
    ticker = Ticker(loop: loop, interval: LiveMix.interval) { [self] now in tick(at: now) }
  }

  private func tick(at now: MonotonicTime) {
    let taken = inbox.withLock { inbox in
      let taken = inbox
      (inbox.offers, inbox.removed) = ([], [])
      return taken
    }
    guard !taken.isOver else {
      ticker?.stop()
      ticker = nil
      return release(loop)
    }
    for source in taken.removed {
      histories[source] = nil
      mixer.remove(source)
    }
    mixer.setOutputs(taken.outputs)
    for offer in taken.offers {
      mixer.add(offer.source, after: histories.removeValue(forKey: offer.source))
      mixer.take(offer.packet, of: offer.source, reading: offer.reading)
    }
    mixer.advance(to: now)
    var batch: [Packet] = []
    while let packet = mixer.next() {
      let stream = streams[packet.output] ?? LiveMixStream()
      streams[packet.output] = stream
      if let received = stream.received(packet, at: now) {
        batch.append(Packet(output: packet.output, received: received))
      }
    }
    if !batch.isEmpty { sink.yield(batch) }
  }
}

/// Wraps the packets of one output of the live mix as an RTP stream, so that they are forwarded like a musician's.
struct LiveMixStream {
  /// As in our own offers; rewritten for every listener.
  static let payloadType: UInt8 = 111

  private let ssrc = UInt32.random(in: 1 ... .max)

  /// The packet as if received at `now`; nil only if it is not valid RTP, which `RTPWriter` never produces.
  func received(_ packet: LiveMixPacket, at now: MonotonicTime) -> ReceivedPacket? {
    let writer = RTPWriter(
      payloadType: LiveMixStream.payloadType, marker: packet.sequence == 0,
      sequenceNumber: UInt16(truncatingIfNeeded: packet.sequence),
      timestamp: UInt32(truncatingIfNeeded: packet.timestamp), ssrc: ssrc)
    guard let rtp = try? RTPPacket(parsing: writer.packet(payload: packet.payload)) else { return nil }
    return ReceivedPacket(
      packet: rtp, extendedSequence: packet.sequence, extendedTimestamp: packet.timestamp, arrival: now)
  }
}
