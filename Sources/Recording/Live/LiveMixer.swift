import Machines
import Music
import Realtime

/// The live mix of a room: musicians' packets in, Opus packets of the mix out.
///
/// A value without clock, thread or lock: it receives packets and times, and reports when it should be called again.
/// Each musician is decoded once, after a short jitter buffer, and resampled slightly to the mixer's clock. Each
/// output sums its sources at unity gain, limits the sum, and encodes it. A source without packets has no decoder,
/// and an output without listeners has no encoder.
///
/// Decoding and encoding take milliseconds, so do not call this on the thread that forwards packets.
///
/// ```swift
/// var mixer = try LiveMixer()
/// mixer.add(ada)
/// mixer.setOutputs([.everybody])
/// mixer.advance(to: now)
/// while let packet = mixer.next() { send(packet) }
/// ```
package struct LiveMixer: ~Copyable {
  /// After a longer pause between calls, the mix restarts instead of producing outdated audio.
  package static let longestStall = MonotonicTime.Span.milliseconds(500)
  /// Maximum number of packets waiting for `next()`: seconds of all outputs of a room.
  private static let queueLimit = 1_024

  package let configuration: Configuration
  private let limits: JitterDelay.Limits
  private var sources: [LiveSource] = []
  private var buses: [LiveMixBus] = []
  private var wantedOutputs: Set<LiveMixOutput> = []
  private var queue: [LiveMixPacket] = []
  private var fetched = 0
  /// When the next block is due; nil before the first call of `advance` with an output.
  private var due: MonotonicTime?
  /// Number of the current block, including those skipped by a stall.
  private var tick: Int64 = 0
  private var sequence: Int64 = 0
  private var counts = LiveMixStatistics()
  /// Frames limited by outputs that no longer exist.
  private var limitedFrames = 0

  /// Creates a mixer without sources or outputs.
  /// - Throws: `OpusFailure` if libopus refuses the settings or runs out of memory.
  package init(_ configuration: Configuration = Configuration()) throws(OpusFailure) {
    self.configuration = configuration
    limits = JitterDelay.Limits(configuration)
    // Adding an output later cannot throw, so errors in the settings are detected now.
    _ = try LiveMixBus(.everybody, configuration)
  }

  /// Adds a musician, or keeps one who is fading out; the first packet creates the decoder.
  /// - Parameter history: the musician's arrivals so far, if the mix begins while they play.
  package mutating func add(_ source: ParticipantID, after history: LiveHistory? = nil) {
    if let index = sources.firstIndex(where: { $0.id == source }) {
      sources[index].isLeaving = false
    } else {
      sources.append(LiveSource(source, frames: configuration.frames, limits: limits, history: history))
    }
  }

  /// Removes a musician from the mix after a fade-out of 10 ms.
  package mutating func remove(_ source: ParticipantID) {
    guard let index = sources.firstIndex(where: { $0.id == source }) else { return }
    sources[index].leave()
    if sources[index].isGone { sources.remove(at: index) }
  }

  /// Sets the outputs that have listeners; without any, packets are dropped unread and nothing is mixed.
  package mutating func setOutputs(_ outputs: Set<LiveMixOutput>) {
    guard outputs != wantedOutputs || buses.count != outputs.count else { return }
    wantedOutputs = outputs
    limitedFrames += buses.filter { !outputs.contains($0.output) }.reduce(0) { $0 + $1.limitedFrames }
    buses.removeAll { !outputs.contains($0.output) }
    for output in outputs where !buses.contains(where: { $0.output == output }) {
      do {
        buses.append(try LiveMixBus(output, configuration))
      } catch {
        counts.encoderFailures += 1
      }
    }
    guard buses.isEmpty else { return }
    due = nil
    for index in sources.indices { sources[index].cut() }
    sources.removeAll(where: \.isGone)
  }

  /// Takes one packet of a musician as the room received it; duplicate, late and malformed packets are counted and
  /// dropped.
  package mutating func take(_ packet: ReceivedPacket, of source: ParticipantID, reading: Forwarder.Source) {
    guard !buses.isEmpty else { return }
    guard let index = sources.firstIndex(where: { $0.id == source }), !sources[index].isLeaving else {
      counts.strayPackets += 1
      return
    }
    sources[index].take(packet, reading: reading)
  }

  /// Mixes all packets due up to `now`, to be fetched with `next()`.
  package mutating func advance(to now: MonotonicTime) {
    guard !buses.isEmpty else { return }
    var time = due ?? now
    if now - time > LiveMixer.longestStall {
      let interval = configuration.interval
      let missed = (now - time).nanoseconds / interval.nanoseconds
      tick &+= missed
      time = time + interval * missed
      counts.stalls += 1
      for index in sources.indices { sources[index].cut() }
      for index in buses.indices { buses[index].cut() }
    }
    // Limited to the length of a stall, so that an extreme time cannot cause an endless loop.
    for _ in 0...(LiveMixer.longestStall.nanoseconds / configuration.interval.nanoseconds) where time <= now {
      make(at: time)
      time = time + configuration.interval
    }
    due = time
  }

  /// Returns the next packet; nil once all are fetched.
  package mutating func next() -> LiveMixPacket? {
    guard fetched < queue.count else {
      queue.removeAll(keepingCapacity: true)
      fetched = 0
      return nil
    }
    defer { fetched += 1 }
    return queue[fetched]
  }

  /// When to call `advance` next; a time in the past means immediately, nil that there is no output.
  package var deadline: MonotonicTime? {
    buses.isEmpty ? nil : due ?? MonotonicTime(nanoseconds: .min)
  }

  /// The counters so far, and the state of the sources.
  package var statistics: LiveMixStatistics {
    var statistics = counts
    statistics.limitedFrames = buses.reduce(limitedFrames) { $0 + $1.limitedFrames }
    for source in sources where !source.isLeaving { statistics.sources[source.id] = source.statistics }
    return statistics
  }

  private mutating func make(at time: MonotonicTime) {
    for index in sources.indices { sources[index].render(at: time) }
    for index in buses.indices {
      do {
        let payload = try buses[index].packet(of: sources)
        offer(
          LiveMixPacket(
            output: buses[index].output, payload: payload, timestamp: tick &* Int64(configuration.frames),
            sequence: sequence))
      } catch {
        counts.encoderFailures += 1
      }
    }
    // Only now: the last block of a leaving source was the end of its fade.
    sources.removeAll(where: \.isGone)
    counts.blocks += 1
    tick &+= 1
    sequence &+= 1
  }

  private mutating func offer(_ packet: LiveMixPacket) {
    guard queue.count - fetched < LiveMixer.queueLimit else {
      counts.droppedPackets += 1
      return
    }
    queue.append(packet)
    counts.packets += 1
  }
}

/// A live mix: of everybody, of everybody except the musician who listens to it, or of some.
package enum LiveMixOutput: Hashable, Sendable {
  case everybody
  case without(ParticipantID)
  case only(Set<ParticipantID>)

  /// True if the mix contains `source`.
  func contains(_ source: ParticipantID) -> Bool {
    switch self {
    case .everybody: true
    case .without(let absent): source != absent
    case .only(let chosen): chosen.contains(source)
    }
  }
}

/// One Opus packet of a live mix.
package struct LiveMixPacket: Hashable, Sendable {
  package var output: LiveMixOutput
  /// Opus, stereo, of the mixer's packet time.
  package var payload: [UInt8]
  /// In samples at 48 kHz, the same for all outputs; it advances over the time of a stall.
  package var timestamp: Int64
  /// Increases by one per packet of an output, even across a stall; all outputs count alike.
  package var sequence: Int64

  package init(output: LiveMixOutput, payload: [UInt8], timestamp: Int64, sequence: Int64) {
    self.output = output
    self.payload = payload
    self.timestamp = timestamp
    self.sequence = sequence
  }
}
