import Machines
import Music
import Realtime

/// The Opus packets of a take as its tracks play them: those that are heard, in order, where the render has placed them.
///
/// The journal is rendered again without decoding, by the same rules as the take's files, so both agree to the sample.
struct PlacedPackets {
  struct Packet {
    /// In the journal.
    var number: Int
    var track: JournalTrack
    /// SSRC.
    var source: UInt32
    var arrival: WallTime
    /// Of the first sample that it decodes to, on the take's time line.
    var place: Int64
    var payload: ArraySlice<UInt8>
    var opus: OpusPacket
  }

  private struct Key: Hashable {
    var track: Int
    var source: UInt32
    var sequence: UInt16
  }

  private struct Waiting {
    var arrival: MonotonicTime
    var payload: ArraySlice<UInt8>
    var opus: OpusPacket
    var isTalk: Bool
  }

  /// A packet is played or forgotten after this time. Long after a render's window, and long before sequence numbers
  /// come again: 5 minutes.
  private static let longestWait = MonotonicTime.Span.seconds(300)
  private static let pruning = 8_192

  private var tracks: [Int: JournalTrack] = [:]
  private var talking: Set<Int> = []
  private var waiting: [Key: Waiting] = [:]
  private var insertions = 0

  /// Gives the packets of the take in `folder` to `body`: those of one track in order.
  ///
  /// - Parameter proceed: called for every frame of the journal; an error that it throws ends the work.
  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`, and errors of `body` and `proceed`.
  static func read(
    _ folder: TakeFolder, manifest: Manifest, proceed: () throws -> Void, _ body: (Packet) throws -> Void
  ) throws {
    var options = RenderOptions()
    if manifest.refinement != nil {
      // Nothing is replaced, so it needs no data folder.
      let refiner = try TakeRefiner(folder: folder, root: "")
      _ = try refiner.examine(options: options, proceed)
      options = refiner.refined(options)
    }
    var packets = PlacedPackets()
    var journal = try JournalFollower(folder: folder)
    var render: RollingRender?
    while let frame = try journal.next(isComplete: true) {
      try proceed()
      guard let header = journal.header else { break }
      let current = render ?? RollingRender(header: header, options: options.examining, sink: DiscardingSink())
      render = current
      packets.note(frame)
      try current.handle(frame)
      try packets.drain(current, body)
    }
    guard let render else { return }
    _ = try render.finish()
    try packets.drain(render, body)
  }

  private mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(let number, let track, _): if tracks[number] == nil { tracks[number] = track }
    case .streamChanged(let number, let stream, _): tracks[number]?.stream = stream
    case .talk(let number, _, let isOn): if isOn { talking.insert(number) } else { talking.remove(number) }
    case .rtp(let number, let arrival, let bytes):
      guard let stream = tracks[number]?.stream, let audio = IncomingAudio(bytes, stream: stream) else { return }
      insert(audio.payload, of: audio, audio.sequence, number, arrival)
      for (index, copy) in audio.redundancy.enumerated() {
        let distance = UInt16(truncatingIfNeeded: audio.redundancy.count - index)
        insert(copy.payload, of: audio, audio.sequence &- distance, number, arrival)
      }
    default: break
    }
  }

  private mutating func insert(
    _ payload: ArraySlice<UInt8>, of audio: IncomingAudio, _ sequence: UInt16, _ number: Int, _ arrival: MonotonicTime
  ) {
    guard let opus = OpusPacket(payload.span) else { return }
    let key = Key(track: number, source: audio.source, sequence: sequence)
    if let known = waiting[key], arrival - known.arrival < PlacedPackets.longestWait { return }
    waiting[key] = Waiting(arrival: arrival, payload: payload, opus: opus, isTalk: talking.contains(number))
    insertions += 1
    guard insertions % PlacedPackets.pruning == 0 else { return }
    waiting = waiting.filter { arrival - $0.value.arrival < PlacedPackets.longestWait }
  }

  private mutating func drain(_ render: RollingRender, _ body: (Packet) throws -> Void) throws {
    for track in render.tracks {
      for played in track.takePlayed() {
        let key = Key(track: track.number, source: played.source, sequence: played.sequence)
        guard let packet = waiting.removeValue(forKey: key), let identity = tracks[track.number], !packet.isTalk else {
          continue
        }
        let wall = render.header.startedAt + .nanoseconds((packet.arrival - render.header.zero).nanoseconds)
        try body(
          Packet(
            number: track.number, track: identity, source: played.source, arrival: wall, place: played.place,
            payload: packet.payload, opus: packet.opus))
      }
    }
  }
}
