import Machines
import Music

/// What a take's journal tells about who heard whom how late.
///
/// Feed it all frames of the journal. It keeps a reading in 8 bytes, one a second and track: an hour of three musicians
/// are some 150 KB.
package struct HearingReadings: Sendable {
  /// Longest delay that is believed; nobody plays to what sounds ten seconds later, so it is a client's mistake.
  package static let longest = MonotonicTime.Span.seconds(10)

  private struct Pair: Hashable {
    var listener: Int
    var heard: Int
  }

  private var names: [Int: String] = [:]
  private var streams: [Int: JournalStream] = [:]
  /// Samples of a track's first packet; clients keep to one length.
  private var packetLengths: [Int: Int] = [:]
  private var roundTrips: [Int: [MonotonicTime.Span]] = [:]
  private var playouts: [Pair: [MonotonicTime.Span]] = [:]
  /// Readings that cannot be true and were left out: negative ones, and those beyond `longest`.
  package private(set) var refused = 0

  package init() {}

  /// Takes the journal's next frame; kinds that tell nothing about hearing are passed over.
  package mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(let track, let opened, _):
      names[track] = opened.participant.name.description
      streams[track] = opened.stream
    case .streamChanged(let track, let stream, _): streams[track] = stream
    case .rtp(let track, _, let packet) where packetLengths[track] == nil:
      guard let stream = streams[track], let audio = IncomingAudio(packet, stream: stream) else { return }
      packetLengths[track] = OpusPacket(audio.payload.span)?.duration
    case .renamed(let track, _, let name): names[track] = name.description
    case .roundTrip(let track, _, let span) where isCredible(span):
      roundTrips[track, default: []].append(span)
    case .playoutDelay(let track, _, let heard, let delay) where isCredible(delay) && track != heard:
      playouts[Pair(listener: track, heard: heard), default: []].append(delay)
    case .roundTrip, .playoutDelay: refused += 1
    default: break
    }
  }

  private func isCredible(_ span: MonotonicTime.Span) -> Bool {
    span >= .zero && span <= HearingReadings.longest
  }

  /// The round trip between a track's musician and the recorder, nil where nobody measured it.
  package func roundTrip(of track: Int) -> DelaySpread? { DelaySpread(roundTrips[track] ?? []) }

  /// How late the musician of `listener` played what arrived of the track `heard`, nil where nobody said.
  package func playout(at listener: Int, of heard: Int) -> DelaySpread? {
    DelaySpread(playouts[Pair(listener: listener, heard: heard)] ?? [])
  }

  /// How much later than it was played the musician of `listener` heard the track `heard`, or what is missing to tell.
  package func delay(at listener: Int, of heard: Int) -> Result<HeardDelay, PerspectiveProblem> {
    let playout = playout(at: listener, of: heard)
    let (way, listenersWay) = (roundTrip(of: heard), roundTrip(of: listener))
    if let playout, let way, let listenersWay {
      return .success(
        HeardDelay(
          sending: sending(of: heard), roundTrip: way, listenersRoundTrip: listenersWay, playout: playout))
    }
    var missing = PerspectiveProblem.Missing()
    if playout == nil { missing.playouts.append(.init(listener: name(of: listener), heard: name(of: heard))) }
    if listenersWay == nil { missing.roundTrips.append(name(of: listener)) }
    if way == nil { missing.roundTrips.append(name(of: heard)) }
    return .failure(.notReported(missing))
  }

  private func sending(of track: Int) -> MonotonicTime.Span {
    guard let length = packetLengths[track] else { return .zero }
    return .nanoseconds((Int64(length) / 2 + Int64(OpusPacket.encoderLookahead)) * 1_000_000 / 48)
  }

  private func name(of track: Int) -> String { names[track] ?? "track \(track)" }
}
