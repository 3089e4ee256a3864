import Glibc
import Recording

/// A musician's microphone that is recorded twice: by Opus on the take's time line, and by a sound card of its own.
package struct VirtualBackup {
  /// Frames of 20 ms that Opus takes.
  private static let frame = 960
  /// Samples by which the encoder delays.
  private static let lookahead = 312

  /// Sound before the microphone, at 48 kHz; as many planes as there are channels.
  package var sound: [[Float]]
  /// Seconds of the sound before the take's zero.
  package var lead: Double
  /// Length of the take in seconds.
  package var length: Double
  /// The card's sample rate in Hz.
  package var rate = 48_000
  /// The card's clock against the take's, in ppm.
  package var drift = 0.0
  /// Where the backup begins and ends, in seconds from the take's zero.
  package var start = -1.2345
  /// Seconds by which the clocks' word about its beginning is off: microphones do not tell all of their delay.
  package var clockError = 0.0
  package var end: Double
  /// The backup's level against the take's.
  package var level: Float = 1
  package var channels = 1
  /// Bits per second that Opus has.
  package var bitrate = 96_000
  package var isVoice = false
  /// By how many samples the track's place swings about the truth to both sides, and in how many seconds.
  package var swing = (samples: 0.0, period: 20.0)
  /// Silence in the track, in seconds of the take.
  package var gaps: [ClosedRange<Double>] = []
  /// Frames that the capture lost (or has in addition, below 0), at a time of the take.
  package var losses: [(at: Double, frames: Int)] = []

  package init(sound: [[Float]], lead: Double, length: Double) {
    self.sound = sound
    self.lead = lead
    self.length = length
    end = length + 2
  }

  /// Where the clocks say that it begins, in seconds from the take's zero.
  package var hint: Double { start + clockError }

  /// The track as a take has it: encoded, decoded, put where it belongs.
  package func track() throws -> SoundArray {
    let encoder = try OpusEncoder(.init(channels: sound.count, bitrate: bitrate, isVoice: isVoice))
    let decoder = try OpusDecoder(channels: sound.count)
    let first = Int(lead * 48_000)
    let frames = Int(length * 48_000)
    var decoded: [Float] = []
    var output = [Float](repeating: 0, count: VirtualBackup.frame * sound.count)
    while decoded.count < (frames + VirtualBackup.lookahead) * sound.count {
      let place = first + decoded.count / sound.count
      var input: [Float] = []
      for index in place..<(place + VirtualBackup.frame) {
        for plane in sound { input.append(index < plane.count ? plane[index] : 0) }
      }
      let packet = try encoder.encode(input)
      _ = try output.withUnsafeMutableBufferPointer { output throws in
        try decoder.decode(packet[...], into: output)
      }
      decoded += output
    }
    var samples = Array(decoded.dropFirst(VirtualBackup.lookahead * sound.count).prefix(frames * sound.count))
    for gap in gaps {
      let range = Int(gap.lowerBound * 48_000) * sound.count..<Int(gap.upperBound * 48_000) * sound.count
      for index in range where index < samples.count { samples[index] = 0 }
    }
    return SoundArray(samples, channels: sound.count, rate: 48_000)
  }

  /// Where the take's sample lies in the backup, in its frames.
  package func position(of sample: Double) -> Double {
    let time = sample / 48_000
    let lost = losses.filter { $0.at <= time }.reduce(0) { $0 + $1.frames }
    var frame = (time - start) * Double(rate) * (1 + drift * 1e-6)
    let steady = frame
    // A swing changes by less than a thousandth of a sample from one sample to the next.
    for _ in 0..<4 { frame = steady - swing(at: frame) * Double(rate) / 48_000 }
    return frame - Double(lost)
  }

  /// By how many samples at 48 kHz the sound that belongs to a frame of the backup lies behind its steady place.
  private func swing(at frame: Double) -> Double {
    swing.samples * sin(2 * .pi * frame / Double(rate) / swing.period)
  }

  /// What the sound card kept: 24 bits.
  package func backup() -> SoundArray {
    let step = 48_000 / (Double(rate) * (1 + drift * 1e-6))
    let count = Int((end - start) * Double(rate) * (1 + drift * 1e-6))
    let resampler = Resampler()
    let planes = (0..<channels).map { channel -> [Float] in
      var plane = sound[min(channel, sound.count - 1)]
      if channels == 1, sound.count == 2 { plane = zip(sound[0], sound[1]).map { ($0 + $1) / 2 } }
      let silence = [Float](repeating: 0, count: 64)
      plane = silence + plane + silence
      // The sound's own beginning is the card's time 0.
      let first = (lead + start) * 48_000 + 64
      var output = [Float](repeating: 0, count: count)
      plane.withUnsafeBufferPointer { plane in
        output.withUnsafeMutableBufferPointer { output in
          // Straight lines of 10 ms make a swing that is exact to a ten-thousandth of a sample.
          for start in stride(from: 0, to: count, by: rate / 100) {
            let end = min(count, start + rate / 100)
            let (from, to) = (swing(at: Double(start)), swing(at: Double(end)))
            let run = Resampler.Run(
              position: first + Double(start) * step + from, step: step + (to - from) / Double(end - start),
              count: end - start)
            resampler.process(plane, run, into: UnsafeMutableBufferPointer(rebasing: output[start..<end]))
          }
        }
      }
      for loss in losses {
        let place = Int((loss.at - start) * Double(rate) * (1 + drift * 1e-6))
        if loss.frames > 0 {
          output.removeSubrange(place..<(place + loss.frames))
        } else {
          output.insert(contentsOf: output[place..<(place - loss.frames)], at: place)
        }
      }
      return output.map { ($0 * level * 8_388_607).rounded() / 8_388_608 }
    }
    var samples: [Float] = []
    for index in planes[0].indices { for plane in planes { samples.append(plane[index]) } }
    return SoundArray(samples, channels: channels, rate: rate)
  }

  /// The greatest distance between a mapping and the truth, in samples at 48 kHz, away from losses.
  package func error(of mapping: BackupMapping, every: Int64 = 4_800) -> Double {
    var worst = 0.0
    for stretch in mapping.stretches {
      for sample in stride(from: stretch.start, to: stretch.end, by: Int64.Stride(every)) {
        let time = Double(sample) / 48_000
        guard losses.allSatisfy({ abs($0.at - time) > 0.05 }) else { continue }
        let difference = stretch.position(of: Double(sample)) - position(of: Double(sample))
        worst = max(worst, abs(difference) * 48_000 / Double(rate))
      }
    }
    return worst
  }
}
