import Glibc
import Recording
import TestSupport

/// Three tracks at full scale that swing together: does the mix wrap, clip, or peak between the samples?
struct LoudMixTrial {
  private static let seconds = 10
  private static let block = 960

  func run() {
    let rate = 48_000.0
    tell("sine of 997 Hz, alike") { sin(2 * .pi * 997 * Double($0) / rate) }
    tell("sine of 12 kHz at 45 degrees, alike") { sin(.pi / 2 * Double($0) + .pi / 4) }
    tell("square of 1 kHz, alike") { $0 % 48 < 24 ? 1 : -1 }
    tell("square of 12 kHz, alike") { $0 % 4 < 2 ? 1 : -1 }
    tell("bursts of 997 Hz, alike") { $0 / 4_800 % 2 == 0 ? 0 : sin(2 * .pi * 997 * Double($0) / rate) }
    var random = SeededRandom(11)
    let noise = (0..<Int(rate)).map { _ in random.unit() * 2 - 1 }
    tell("noise to 24 kHz, alike") { noise[$0 % noise.count] }
    let bandlimited = LoudMixTrial.lowPass(noise, to: 20_000 / rate)
    tell("noise to 20 kHz (all that Opus carries), alike") { bandlimited[$0 % bandlimited.count] }
    let signal = VirtualSignal(tempo: 6, level: 1, seed: 5)
    let music = (0..<(Int(rate) * 4)).map { Double(signal.sample(Double($0) / rate, channel: 0)) }
    let highest = music.map(abs).max() ?? 1
    tell("music, alike") { music[$0 % music.count] / highest }
  }

  /// Takes away what lies above `cut` (of the rate), and brings the rest to full scale.
  private static func lowPass(_ samples: [Double], to cut: Double) -> [Double] {
    let reach = 200
    let taps = (-reach...reach).map { index in
      let window = pow(cos(.pi / 2 * Double(index) / Double(reach + 1)), 2)
      return window * (index == 0 ? 2 * cut : sin(2 * .pi * cut * Double(index)) / (.pi * Double(index)))
    }
    let result = samples.indices.map { center in
      taps.indices.reduce(0.0) { $0 + taps[$1] * samples[(center + $1 - reach + samples.count) % samples.count] }
    }
    let highest = result.map(abs).max() ?? 1
    return result.map { $0 / highest }
  }

  private func tell(_ name: String, _ sample: (Int) -> Double) {
    let count = LoudMixTrial.seconds * 48_000
    let input = (0..<count).map { Float(sample($0)) }
    var mixer = Mixer(frames: LoudMixTrial.block)
    var mix: [Float] = []
    for start in stride(from: 0, to: count, by: LoudMixTrial.block) {
      input.withUnsafeBufferPointer { input in
        let block = UnsafeBufferPointer(rebasing: input[start..<(start + LoudMixTrial.block)])
        for _ in 0..<3 { mixer.add(block, channels: 1) }
      }
      mixer.process { mix += stride(from: 0, to: $0.count, by: 2).map { [block = $0] in block[$0] } }
    }
    // A sample that wrapped has the other sign; one that was clipped is louder or has lost the shape of its input.
    var wrapped = 0
    var gains = (least: Float.infinity, step: Float(0))
    var last: Float?
    for index in Mixer.latency..<mix.count {
      let wanted = input[index - Mixer.latency] * 3 * Mixer.defaultGain.factor
      guard abs(wanted) > 0.05 else { continue }
      let gain = mix[index] / wanted
      if gain < 0 || gain > 1.001 { wrapped += 1 }
      gains.least = min(gains.least, gain)
      if let last { gains.step = max(gains.step, abs(gain - last)) }
      last = gain
    }
    var figure = Figure("loudMix")
    figure.add("signal", name)
    figure.add("truePeakDbTP", 20 * log10(Oversampler().peak(of: mix)))
    figure.add("samplePeakDb", 20 * log10(Double(mix.map(abs).max() ?? 0)))
    figure.add("wrappedSamples", wrapped)
    figure.add("largestGainStep", Double(gains.step))
    figure.add("leastGainDb", 20 * log10(Double(gains.least)))
    figure.tell()
  }
}
