import Recording
import TestSupport

/// Where a track's samples come to lie, without decoding them: the same clock, the same placement and the same order of
/// things as in `TrackRender`, `TrackSegment` and `RollingRender`. `AlignmentCheck` holds it against sound.
struct PlacementReplay {
  /// One look at a placed block.
  struct Reading {
    /// Where the block lies on the time line, in seconds.
    var time: Double
    /// Later than the truth, in milliseconds.
    var error: Double
    /// The sample of the time line at which the block begins.
    var start: Int64
  }

  private static let rate = 48_000.0
  private static let block: Int64 = 960
  /// How far the render is behind the journal, in seconds.
  private static let window = 4.0
  /// The encoder's look-ahead, in samples.
  private static let lookahead = 312.0

  private let card: VirtualSoundCard
  /// The take's zero by the card's time, in seconds.
  private let zero: Double
  /// Length of a packet, in seconds.
  private let packet: Double
  private(set) var clock = SenderClock()
  private var placement: Placement?
  /// The packet that came first; positions count from it.
  private var base: Int?
  private var highest = -1
  private var first = 0
  private var rendered: Int64 = 0
  private var lastStepCheck = 0.0
  private var nextReading = 0.0
  private var curve = BoundCurve()
  private(set) var readings: [Reading] = []
  private(set) var steps = 0

  init(card: VirtualSoundCard, zero: Double = 0, packet: Double) {
    self.card = card
    self.zero = zero
    self.packet = packet
  }

  /// Renders what is final when the journal has come to `now` (seconds).
  mutating func advance(to now: Double) {
    while Double(rendered + PlacementReplay.block) / PlacementReplay.rate + PlacementReplay.window <= now {
      renderBlock()
      rendered += PlacementReplay.block
    }
  }

  mutating func receive(_ index: Int, at arrival: Double) {
    let begin = base ?? index
    base = begin
    let media = Double(index - begin) * packet
    clock.observe(
      packet: Int64(index), endingAt: media + packet, arrival: arrival, isInOrder: index > highest)
    if placement == nil { first = min(first, index - begin) }
    highest = max(highest, index)
    guard arrival - lastStepCheck >= 0.5 else { return }
    lastStepCheck = arrival
    if clock.step(at: arrival) != nil { steps += 1 }
  }

  /// A sender report: its NTP clock showed `senderTime` when its media clock stood at `media` seconds from packet 0.
  mutating func receive(report senderTime: Double, media: Double, at arrival: Double) {
    guard let base else { return }
    clock.observe(senderReport: senderTime, media: media - Double(base) * packet, arrival: arrival)
  }

  /// A packet's capture time, by the sender's NTP clock.
  mutating func receive(captureTime senderTime: Double, of index: Int, at arrival: Double) {
    guard let base else { return }
    clock.observe(captureTime: senderTime, media: Double(index - base) * packet, arrival: arrival)
  }

  /// The sender's answer to a report of ours.
  mutating func receive(answerTo sent: Double, senderTime: Double?, at arrival: Double) {
    clock.observe(answerTo: sent, held: 0, senderTime: senderTime, arrival: arrival)
  }

  mutating func receive(checkTrip: Double, at time: Double) {
    clock.observe(checkTrip: checkTrip, at: time)
  }

  mutating func receive(roundTrip: Double, at time: Double) {
    clock.observe(roundTrip: roundTrip, at: time)
  }

  /// What the certificate says over time.
  var bounds: [BoundCurve.Stretch] { curve.finished(by: clock) }

  private mutating func renderBlock() {
    if placement == nil, base != nil {
      let samples = Int64((Double(first) * packet * PlacementReplay.rate).rounded())
      let start = Placement.start(of: samples, clock)
      guard start < rendered + PlacementReplay.block else { return }
      let begin = max(rendered, start)
      placement = Placement(start: begin, clock: clock)
      _ = placement?.advance(Int(rendered + PlacementReplay.block - begin), toward: clock)
      return
    }
    guard let piece = placement?.advance(Int(PlacementReplay.block), toward: clock), let base else { return }
    curve.note(piece, frames: Int(PlacementReplay.block), difference: placement?.difference ?? 0, clock: clock)
    let time = Double(piece.start) / PlacementReplay.rate
    guard time >= nextReading else { return }
    nextReading = time.rounded(.down) + 1
    let media = (piece.position - PlacementReplay.lookahead) / PlacementReplay.rate + Double(base) * packet
    readings.append(
      Reading(
        time: time, error: (time - (card.captured(atMedia: media) - zero)) * 1_000,
        start: piece.start))
  }
}
