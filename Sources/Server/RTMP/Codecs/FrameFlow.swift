import DequeModule
import Machines
import Signaling

/// The frames of one stream on their way through a codec worker: what is sent to it, and what its answers mean.
struct FrameFlow {
  private enum Sent {
    case frame(timestamp: Int64, arrival: StreamArrival)
    case lost(Int)

    var frames: Int {
      switch self {
      case .frame: 1
      case .lost(let count): count
      }
    }
  }

  /// The end of a frame's sound, and its arrival.
  private struct Anchor {
    var end: Double
    var arrival: StreamArrival
  }

  private(set) var counts = AudioTranscoder.Counts()
  private let codec: StreamCodec
  private let configuration: AudioSpecificConfig?
  private var sequence = FrameSequence<AudioTranscoder.Frame>()
  private var timeline = FrameTimeline()
  private var cutter: PacketCutter?
  /// What the worker has not answered, in order.
  private var sent = Deque<Sent>()
  private var delay: CodecDelay?
  /// The last sound that said anything about the stream: a frame's samples and their rate.
  private var rate: UInt32 = 0
  private var frameLength: UInt32 = 0
  private var anchor: Anchor?
  private var last: StreamArrival?
  /// Workers lost in short order, and samples decoded since the last of them, at 48 kHz.
  private var losses = 0
  private var decoded = 0.0

  /// Samples after which a worker counts as sound: ten minutes.
  private static let soundWorker = 600.0 * 48_000

  init(_ codec: StreamCodec, _ configuration: [UInt8]) {
    self.codec = codec
    self.configuration = codec == .aac ? AudioSpecificConfig(configuration) : nil
    // Known before the worker's first answer, so that no early loss is missed; corrected by it for rarer lengths.
    sequence.duration = self.configuration.map { 1_024_000 / Double($0.rate) }
  }

  /// Channels of the sound; 2 before it began.
  var channels: Int { cutter?.channels ?? 2 }

  /// The messages that a frame brings about.
  mutating func add(_ frame: AudioTranscoder.Frame) -> [CodecMessage] {
    messages(sequence.add(frame, timestamp: frame.timestamp))
  }

  /// The messages left at the end.
  mutating func finish() -> [CodecMessage] { messages(sequence.finish()) }

  private mutating func messages(_ items: [FrameSequence<AudioTranscoder.Frame>.Item]) -> [CodecMessage] {
    items.map { item in
      switch item {
      case .frame(let frame):
        sent.append(.frame(timestamp: frame.timestamp, arrival: frame.arrival))
        return .frame(frame.bytes)
      case .lost(let count):
        sent.append(.lost(count))
        return .lost(UInt32(clamping: count))
      }
    }
  }

  /// The sound of an answer, in blocks for packets.
  /// - Throws: `AudioTranscoder.Refusal` in the worker's words.
  mutating func sound(from message: CodecMessage) throws -> [(PacketCutter.Block, StreamArrival)] {
    switch message {
    case .refused(let reason): throw AudioTranscoder.Refusal(description: reason)
    case .sound(let sound) where sound.kind == .rest:
      guard let time = timeline.addRest(sound.samples.count / max(1, Int(sound.channels)), priming: priming, rate: rate)
      else { return [] }
      let samples = FrameFlow.samples(sound, channels: channels)
      return stamped(cutter?.add(samples, at: time) ?? [])
    case .sound(let sound):
      guard let first = sent.popFirst() else { throw CodecInbox.Nonsense() }
      return blocks(sound, of: first)
    default: return []
    }
  }

  /// The blocks left at the end of the stream.
  mutating func rest() -> [(PacketCutter.Block, StreamArrival)] {
    // Only a worker that ended just before its end leaves any.
    counts.lost += sent.reduce(0) { $0 + $1.frames }
    sent.removeAll()
    return stamped(cutter?.finish() ?? [])
  }

  /// A worker was lost, with the frames that it had not answered. False if it was one too many; those before one that
  /// worked for ten minutes of sound no longer count.
  mutating func restart() -> Bool {
    counts.restarts += 1
    losses = decoded < FrameFlow.soundWorker ? losses + 1 : 1
    decoded = 0
    let frames = sent.reduce(0) { $0 + $1.frames }
    counts.lost += frames
    sent.removeAll()
    timeline.restart(losing: frames, of: duration)
    return losses <= AudioTranscoder.mostRestarts
  }

  private var priming: Double { delay?.priming ?? 0 }

  /// Samples of a frame at 48 kHz.
  private var duration: Double { rate > 0 ? Double(frameLength) * 48_000 / Double(rate) : 0 }

  private mutating func blocks(
    _ sound: CodecMessage.Sound, of sent: Sent
  ) -> [(PacketCutter.Block, StreamArrival)] {
    switch sound.kind {
    case .decoded: counts.decoded += 1
    case .undecodable: counts.undecodable += 1
    case .lost, .rest: counts.lost += sent.frames
    }
    guard sound.rate > 0, sound.frameLength > 0, sound.channels > 0 else {
      // A new worker has not decoded a frame yet.
      timeline.restart(losing: sent.frames, of: duration)
      return []
    }
    note(sound)
    if sound.kind == .decoded { decoded += duration }
    var (timestamp, arrival): (Int64?, StreamArrival?)
    if case .frame(let stamp, let time) = sent { (timestamp, arrival) = (stamp, time) }
    guard let place = timeline.add(sound, timestamp: timestamp, frames: sent.frames, priming: priming) else {
      return []
    }
    // What is silent because of a fault is left out, so that it is a gap of the track.
    let former = anchor
    if let arrival { anchor = Anchor(end: place.end, arrival: arrival) }
    guard sound.kind == .decoded else { return [] }
    let samples = FrameFlow.samples(sound, channels: channels)
    let blocks = cutter?.add(samples, at: place.start) ?? []
    // A block that ends before this sound begins was cut short by a gap: it came with the former frame.
    return blocks.flatMap { block in
      let isShort = block.time &+ Int64(block.count) <= place.start && block.count < PacketCutter.length
      return stamped([block], by: isShort ? former : anchor)
    }
  }

  /// The samples with as many channels as the stream began with. A new worker may have begun with others.
  private static func samples(_ sound: CodecMessage.Sound, channels: Int) -> [Float] {
    guard Int(sound.channels) != channels else { return sound.samples }
    guard channels == 1 else { return sound.samples.flatMap { [$0, $0] } }
    return stride(from: 0, to: sound.samples.count - 1, by: 2).map {
      (sound.samples[$0] + sound.samples[$0 + 1]) / 2
    }
  }

  private mutating func note(_ sound: CodecMessage.Sound) {
    if cutter == nil {
      cutter = PacketCutter(channels: Int(sound.channels))
      delay = CodecDelay(codec, configuration: configuration, rate: Int(sound.rate))
    }
    if sound.kind == .decoded { counts.channels = max(counts.channels, Int(sound.ownChannels)) }
    guard (rate, frameLength) != (sound.rate, sound.frameLength) else { return }
    (rate, frameLength) = (sound.rate, sound.frameLength)
    sequence.duration = duration / 48
  }

  private mutating func stamped(_ blocks: [PacketCutter.Block]) -> [(PacketCutter.Block, StreamArrival)] {
    stamped(blocks, by: anchor)
  }

  /// The moments at which a sender by RTP would have sent the blocks: the arrival of their frame, less what the codec
  /// needs to look ahead, less the sound of the frame behind the block.
  private mutating func stamped(
    _ blocks: [PacketCutter.Block], by anchor: Anchor?
  ) -> [(PacketCutter.Block, StreamArrival)] {
    guard let anchor, rate > 0 else { return [] }
    return blocks.map { block in
      // With the silence that fills it up: a packet that came before its end would look quicker than all others.
      let end = Double(block.time) + Double(block.samples.count / max(1, channels))
      let early = (anchor.end - end) / 48_000 + (delay?.lead ?? 0) / Double(rate)
      // Negative for the decoder's rest, which lies behind the last frame's sound.
      let span = MonotonicTime.Span.nanoseconds(Int64(saturating: early * 1e9))
      var arrival = anchor.arrival
      (arrival.time, arrival.due) = (arrival.time - span, arrival.due - span)
      if let last { (arrival.time, arrival.due) = (max(last.time, arrival.time), max(last.due, arrival.due)) }
      last = arrival
      return (block, arrival)
    }
  }
}
