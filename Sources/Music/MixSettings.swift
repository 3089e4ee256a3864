/// How the tracks of a take are mixed: the one model of live defaults, REST and command line.
///
/// All of it at its defaults is the take's own mix. `docs/export.md` shows the way of a sample through it.
package struct MixSettings: Hashable, Sendable {
  /// One track in the mix.
  package struct Channel: Hashable, Sendable {
    /// In dB against the take's own mix (which takes every track down by 3 dB): 0 is as there.
    package var gain: Double
    /// -1 is left, 0 the middle, 1 right.
    package var pan: Double
    /// Not heard; stronger than `isSolo`.
    package var isMuted: Bool
    /// Where any track is solo, only those that are solo are heard.
    package var isSolo: Bool
    /// Samples at 48 kHz by which the track is moved; positive is later.
    package var offset: Int64
    /// Corner of a second-order Butterworth high-pass in Hz, nil for none.
    package var highPass: Double?

    package init(
      gain: Double = 0, pan: Double = 0, isMuted: Bool = false, isSolo: Bool = false, offset: Int64 = 0,
      highPass: Double? = nil
    ) {
      self.gain = gain
      self.pan = pan
      self.isMuted = isMuted
      self.isSolo = isSolo
      self.offset = offset
      self.highPass = highPass
    }
  }

  /// A level for the whole mix to come out at.
  package struct Normalization: Hashable, Sendable {
    /// The true peak that nothing exceeds where none is said, in dBTP.
    package static let defaultTruePeak = -1.0

    /// Integrated loudness to reach, in LUFS (EBU R 128: -23; music services: -14 to -16).
    package var loudness: Double
    /// Highest true peak, in dBTP. The loudness stays below its target where this stands in the way.
    package var truePeak: Double

    package init(loudness: Double, truePeak: Double = Normalization.defaultTruePeak) {
      self.loudness = loudness
      self.truePeak = truePeak
    }
  }

  /// By track number; a track that is not there has a channel with defaults.
  package var channels: [Int: Channel]
  /// Of the sum, in dB, before the limiter.
  package var gain: Double
  package var normalization: Normalization?
  /// Length of the fade from silence at the mix's beginning, in samples at 48 kHz.
  package var fadeIn: Int64
  /// Length of the fade to silence at the mix's end, in samples at 48 kHz.
  package var fadeOut: Int64
  /// What of the take's time line is mixed, nil for all of it.
  package var range: Range<SamplePosition>?

  package init(
    channels: [Int: Channel] = [:], gain: Double = 0, normalization: Normalization? = nil, fadeIn: Int64 = 0,
    fadeOut: Int64 = 0, range: Range<SamplePosition>? = nil
  ) {
    self.channels = channels
    self.gain = gain
    self.normalization = normalization
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.range = range
  }
}

extension MixSettings {
  /// The channel of the track with this number.
  package func channel(_ track: Int) -> Channel { channels[track] ?? Channel() }

  /// Whether the track with this number is heard: not muted, and solo where any track is.
  package func isHeard(_ track: Int) -> Bool {
    let channel = channel(track)
    return !channel.isMuted && (channel.isSolo || !channels.values.contains(where: \.isSolo))
  }

  /// True where nothing is set: the finished mix file is the answer.
  package var isUnchanged: Bool {
    channels.values.allSatisfy { $0 == Channel() } && gain == 0 && normalization == nil && fadeIn == 0 && fadeOut == 0
      && range == nil
  }
}
