import Machines
import Music

/// The readings in a take's journal of the delays with which musicians heard each other.
///
/// Feed it all frames of the journal. It keeps one reading of 8 bytes per second and track: an hour of three
/// musicians takes about 150 KB.
package struct HearingReadings: Sendable {
  /// Longest plausible delay; nobody plays along to sound ten seconds late, so a longer one is a client's mistake.
  package static let longest = MonotonicTime.Span.seconds(10)

  private struct Pair: Hashable {
    var listener: Int
    var heard: Int
  }

  private var names: [Int: String] = [:]
  private var streams: [Int: JournalStream] = [:]
  /// Samples in a track's first packet; clients keep one packet length.
  private var packetLengths: [Int: Int] = [:]
  private var roundTrips: [Int: [MonotonicTime.Span]] = [:]
  private var playouts: [Pair: [MonotonicTime.Span]] = [:]
  private var directTrips: [Pair: [MonotonicTime.Span]] = [:]
  /// Implausible readings that were ignored: negative ones, and those above `longest`.
  package private(set) var refused = 0

  package init() {}

  /// Takes the next frame of the journal; frames without readings are ignored.
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
    case .directTrip(let track, _, let heard, let span) where isCredible(span) && track != heard:
      directTrips[Pair(listener: track, heard: heard), default: []].append(span)
    case .roundTrip, .playoutDelay, .directTrip: refused += 1
    default: break
    }
  }

  private func isCredible(_ span: MonotonicTime.Span) -> Bool {
    span >= .zero && span <= HearingReadings.longest
  }

  /// The round trip between a track's musician and the recorder; nil if it was not measured.
  package func roundTrip(of track: Int) -> DelaySpread? { DelaySpread(roundTrips[track] ?? []) }

  /// The playout delay of the track `heard` at the musician of `listener`; nil if it was not reported.
  package func playout(at listener: Int, of heard: Int) -> DelaySpread? {
    DelaySpread(playouts[Pair(listener: listener, heard: heard)] ?? [])
  }

  /// The round trip of the direct path by which the musician of `listener` heard the track `heard`; nil if most of it came
  /// through the recorder.
  package func directTrip(at listener: Int, of heard: Int) -> DelaySpread? {
    let pair = Pair(listener: listener, heard: heard)
    guard let trips = directTrips[pair], 2 * trips.count >= playouts[pair]?.count ?? 0 else { return nil }
    return DelaySpread(trips)
  }

  /// The delay with which the musician of `listener` heard the track `heard`, or the readings missing for it.
  package func delay(at listener: Int, of heard: Int) -> Result<HeardDelay, PerspectiveProblem> {
    let playout = playout(at: listener, of: heard)
    if let playout, let direct = directTrip(at: listener, of: heard) {
      return .success(
        HeardDelay(sending: sending(of: heard), roundTrip: direct, listenersRoundTrip: .none, playout: playout))
    }
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
