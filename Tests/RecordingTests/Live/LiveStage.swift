import Machines
import Music
import TestSupport

@testable import Recording

/// The live mix of a room in virtual time, and listeners who decode what it sends.
final class LiveStage {
  var mixer: LiveMixer
  private(set) var packets: [LiveMixOutput: [LiveMixPacket]] = [:]
  /// When each block was made, in seconds.
  private(set) var times: [Double] = []
  private(set) var now = 0.0
  private var waiting: [LiveArrival] = []
  private var isSorted = false

  /// Begins at 0 s with these musicians.
  init(
    _ players: [LivePlayer], outputs: Set<LiveMixOutput> = [.everybody],
    _ configuration: LiveMixer.Configuration = .init(complexity: 0)
  ) throws {
    mixer = try LiveMixer(configuration)
    for player in players {
      mixer.add(player.id)
      waiting += try player.arrivals()
    }
    mixer.setOutputs(outputs)
  }

  /// Packets that are to come besides.
  func expect(_ arrivals: [LiveArrival]) {
    waiting += arrivals
    isSorted = false
  }

  /// Lets time pass until `end` seconds; `watch` is called after every block.
  func run(until end: Double, watch: (LiveMixStatistics) -> Void = { _ in }) {
    if !isSorted { waiting.sort { $0.time < $1.time } }
    isSorted = true
    var next = 0
    while true {
      let arrival = next < waiting.count ? waiting[next].time : .infinity
      let deadline = mixer.deadline.map { max(Double($0.nanoseconds) / 1e9, now) } ?? .infinity
      guard min(arrival, deadline) <= end else { break }
      if arrival <= deadline {
        now = arrival
        mixer.take(waiting[next].received, of: waiting[next].source, reading: LivePlayer.reading)
        next += 1
      } else {
        now = deadline
        advance(to: deadline)
        watch(mixer.statistics)
      }
    }
    waiting.removeFirst(next)
    now = end
  }

  /// Calls the mixer at `seconds`, whatever it asked for.
  func advance(to seconds: Double) {
    now = seconds
    mixer.advance(to: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())))
    times.append(seconds)
    while let packet = mixer.next() { packets[packet.output, default: []].append(packet) }
  }

  /// What a listener of `output` hears from its first packet on: the left side.
  func heard(_ output: LiveMixOutput = .everybody, channel: Int = 0) throws -> [Float] {
    let decoder = try OpusDecoder(channels: 2)
    var plane: [Float] = []
    var scratch = [Float](repeating: 0, count: OpusPacket.longest * 2)
    for packet in packets[output] ?? [] {
      let count = try scratch.withUnsafeMutableBufferPointer { scratch throws(OpusFailure) in
        try decoder.decode(packet.payload[...], into: scratch)
      }
      for frame in 0..<count { plane.append(scratch[frame * 2 + channel]) }
    }
    return plane
  }

  func statistics(_ player: LivePlayer) -> LiveSourceStatistics {
    mixer.statistics.sources[player.id] ?? LiveSourceStatistics()
  }
}

extension [Float] {
  /// The stretch between two times in seconds.
  func between(_ start: Double, _ end: Double) -> [Float] {
    Array(dropFirst(Int(start * 48_000)).prefix(Int((end - start) * 48_000)))
  }

  /// The level of a tone in dBFS, from pieces of 25 ms so that a slightly bent pitch does not hide it.
  func level(of frequency: Double, piece: Int = 1_200) -> Double {
    let pieces = stride(from: 0, to: count - piece + 1, by: piece).map {
      Tone.amplitude(frequency, in: Array(self[$0..<($0 + piece)]))
    }
    return Tone.level(pieces.reduce(0, +) / Double(Swift.max(pieces.count, 1)))
  }

  /// The greatest step from one sample to the next.
  var greatestStep: Float {
    zip(self, dropFirst()).reduce(0) { Swift.max($0, ($1.1 - $1.0).magnitude) }
  }

  /// The greatest absolute value.
  var highest: Float { withUnsafeBufferPointer(SamplePeak.highest) }
}
