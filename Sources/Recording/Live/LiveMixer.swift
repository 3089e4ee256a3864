import Machines
import Music
import Realtime

/// The mix of a room while it is played: musicians' packets in, Opus packets of the mix out.
///
/// A value without clock, thread or lock: it is handed packets and times, and says when it wants to be called. Each
/// musician is decoded once, behind a short jitter buffer, and played at the mixer's pace by gentle resampling; each
/// output sums whom it is to hold at unity gain, limits the sum, and encodes it. It keeps no decoder where nothing
/// comes and no encoder where nobody listens.
///
/// Decoding and encoding take milliseconds: this does not belong on the thread that forwards packets.
package struct LiveMixer: ~Copyable {
  /// After a longer pause between calls the mix begins anew, instead of catching up with what nobody waits for.
  package static let longestStall = MonotonicTime.Span.milliseconds(500)
  /// Packets that wait for `next()` at most: seconds of all outputs of a room.
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
  /// Blocks on the line of time, those that a stall left out too.
  private var tick: Int64 = 0
  private var sequence: Int64 = 0
  private var counts = LiveMixStatistics()
  /// Frames that were limited by outputs that are gone.
  private var limitedFrames = 0

  /// Makes a mixer without sources and outputs.
  /// - Throws: `OpusFailure` when libopus refuses the settings, or has no memory.
  package init(_ configuration: Configuration = Configuration()) throws(OpusFailure) {
    self.configuration = configuration
    limits = JitterDelay.Limits(configuration)
    // Outputs come later and cannot throw; what is wrong with the settings is said now.
    _ = try LiveMixBus(.everybody, configuration)
  }

  /// Adds a musician, or takes one back who is about to fade out; a decoder is made with the first packet.
  package mutating func add(_ source: ParticipantID) {
    if let index = sources.firstIndex(where: { $0.id == source }) {
      sources[index].isLeaving = false
    } else {
      sources.append(LiveSource(source, frames: configuration.frames, limits: limits))
    }
  }

  /// Takes a musician out of the mix: fades out in 10 ms, and is forgotten then.
  package mutating func remove(_ source: ParticipantID) {
    guard let index = sources.firstIndex(where: { $0.id == source }) else { return }
    sources[index].leave()
    if sources[index].isGone { sources.remove(at: index) }
  }

  /// Says which outputs somebody hears; without any, packets are dropped unread and nothing is made.
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

  /// Takes one packet of a musician as the room got it; duplicates, late ones and garbage are counted and dropped.
  package mutating func take(_ packet: ReceivedPacket, of source: ParticipantID, reading: Forwarder.Source) {
    guard !buses.isEmpty else { return }
    guard let index = sources.firstIndex(where: { $0.id == source }), !sources[index].isLeaving else {
      counts.strayPackets += 1
      return
    }
    sources[index].take(packet, reading: reading)
  }

  /// Makes every packet that is due up to `now`, to be fetched by `next()`.
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
    // No more than a stall's worth, so that the end of all clocks is no loop without end.
    for _ in 0...(LiveMixer.longestStall.nanoseconds / configuration.interval.nanoseconds) where time <= now {
      make(at: time)
      time = time + configuration.interval
    }
    due = time
  }

  /// The next packet, nil when all are fetched.
  package mutating func next() -> LiveMixPacket? {
    guard fetched < queue.count else {
      queue.removeAll(keepingCapacity: true)
      fetched = 0
      return nil
    }
    defer { fetched += 1 }
    return queue[fetched]
  }

  /// When `advance` is to be called next; long past where it is to be called at once, nil while there is no output.
  package var deadline: MonotonicTime? {
    buses.isEmpty ? nil : due ?? MonotonicTime(nanoseconds: .min)
  }

  /// What was done so far, and how the sources stand.
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
    // Only now: the last block of who left was the end of a fade.
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

/// Which live mix: of everybody, or without one musician, who hears all others by it.
package enum LiveMixOutput: Hashable, Sendable {
  case everybody
  case without(ParticipantID)

  /// True where `source` is to be heard in it.
  func contains(_ source: ParticipantID) -> Bool {
    switch self {
    case .everybody: true
    case .without(let absent): source != absent
    }
  }
}

/// One Opus packet of a live mix.
package struct LiveMixPacket: Hashable, Sendable {
  package var output: LiveMixOutput
  /// Opus, stereo, as long as the mixer's packet time.
  package var payload: [UInt8]
  /// In samples at 48 kHz, on one line for all outputs; steps over what a stall left out.
  package var timestamp: Int64
  /// One more than the packet before of the same output, over a stall too; all outputs count alike.
  package var sequence: Int64

  package init(output: LiveMixOutput, payload: [UInt8], timestamp: Int64, sequence: Int64) {
    self.output = output
    self.payload = payload
    self.timestamp = timestamp
    self.sequence = sequence
  }
}
