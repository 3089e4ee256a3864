/// The settings for mixing the tracks of a take, shared by live defaults, REST and the command line.
///
/// The defaults give the take's own mix. `docs/export.md` describes the signal path.
package struct MixSettings: Hashable, Sendable, Codable {
  /// The settings of one track.
  package struct Channel: Hashable, Sendable, Codable {
    /// In dB relative to the take's own mix (which attenuates every track by 3 dB): 0 leaves it unchanged.
    package var gain: Double
    /// -1 is left, 0 the centre, 1 right.
    package var pan: Double
    /// Mutes the track; overrides `isSolo`.
    package var isMuted: Bool
    /// If any track is solo, only solo tracks are heard.
    package var isSolo: Bool
    /// Shift of the track in samples at 48 kHz; positive is later.
    package var offset: Int64
    /// Corner frequency of a second-order Butterworth high-pass in Hz; nil for none.
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

  /// The target level of the whole mix.
  package struct Normalization: Hashable, Sendable, Codable {
    /// The default true-peak limit, in dBTP.
    package static let defaultTruePeak = -1.0
    /// Difference from the target that counts as reached, in LU.
    package static let tolerance = 0.1
    /// Largest reduction of peaks by the limiter for a target, in dB: beyond that, the music suffers more than the level
    /// gains.
    package static let mostLimiting = 12.0

    /// Target of the integrated loudness, in LUFS (EBU R 128: -23; music services: -14 to -16).
    package var loudness: Double
    /// Highest true peak, in dBTP, which takes precedence over the loudness target.
    package var truePeak: Double

    package init(loudness: Double, truePeak: Double = Normalization.defaultTruePeak) {
      self.loudness = loudness
      self.truePeak = truePeak
    }
  }

  /// By track number; missing tracks have default settings.
  package var channels: [Int: Channel]
  /// Gain of the sum, in dB, before the limiter.
  package var gain: Double
  package var normalization: Normalization?
  /// Length of the fade-in at the beginning of the mix, in samples at 48 kHz.
  package var fadeIn: Int64
  /// Length of the fade-out at the end of the mix, in samples at 48 kHz.
  package var fadeOut: Int64
  /// The part of the take's time line to mix; nil for all of it.
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
  /// The settings of the track with this number.
  package func channel(_ track: Int) -> Channel { channels[track] ?? Channel() }

  /// True if the track with this number is heard: not muted, and solo if any track is.
  package func isHeard(_ track: Int) -> Bool {
    let channel = channel(track)
    return !channel.isMuted && (channel.isSolo || !channels.values.contains(where: \.isSolo))
  }

  /// True if all settings have their defaults, so that the finished mix file can be used.
  package var isUnchanged: Bool {
    channels.values.allSatisfy { $0 == Channel() } && gain == 0 && normalization == nil && fadeIn == 0 && fadeOut == 0
      && range == nil
  }
}
