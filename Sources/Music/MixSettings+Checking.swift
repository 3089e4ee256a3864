/// An invalid setting of a mix.
package struct MixSettingsProblem: Error, Hashable, Sendable {
  /// The path of the setting: "channels.2.pan".
  package var field: String
  /// The requested value.
  package var value: String
  /// The permitted values.
  package var permitted: String

  package init(field: String, value: String, permitted: String) {
    self.field = field
    self.value = value
    self.permitted = permitted
  }
}

extension MixSettingsProblem: CustomStringConvertible {
  package var description: String { "\(field) is \(value); permitted: \(permitted)" }
}

extension MixSettings {
  /// Permitted gains of a track and of the sum, in dB.
  package static let gains = -96.0...24.0
  /// Permitted pan positions.
  package static let pans = -1.0...1.0
  /// Permitted offsets, in samples at 48 kHz: ten minutes either way.
  package static let offsets = -(600 * SamplePosition.rate)...(600 * SamplePosition.rate)
  /// Permitted corner frequencies of a high-pass, in Hz.
  package static let highPasses = 10.0...2_000.0
  /// Permitted loudness targets, in LUFS.
  package static let loudnessTargets = -70.0 ... -5.0
  /// Permitted true-peak ceilings, in dBTP.
  package static let truePeaks = -9.0...0.0

  /// Checks these settings for a take with `tracks` (the numbers of those with audio) and `length`.
  ///
  /// - Parameters:
  ///   - tracks: nil if not yet known; `channels` may then contain any number from 1.
  ///   - length: nil if not yet known.
  package func check(tracks: [Int]? = nil, length: SamplePosition? = nil) throws(MixSettingsProblem) {
    for (number, channel) in channels.sorted(by: { $0.key < $1.key }) {
      try MixSettings.check(number, among: tracks)
      try channel.check(field: "channels.\(number)")
    }
    try MixSettings.check(gain, in: MixSettings.gains, "gain", "dB")
    if let normalization {
      try MixSettings.check(
        normalization.loudness, in: MixSettings.loudnessTargets, "normalization.loudness", "LUFS")
      try MixSettings.check(normalization.truePeak, in: MixSettings.truePeaks, "normalization.truePeak", "dBTP")
    }
    try checkTimes(length)
  }

  private func checkTimes(_ length: SamplePosition?) throws(MixSettingsProblem) {
    if let range {
      let permitted =
        length.map { "not empty, within 0…\($0.seconds) s, the take's time line" } ?? "not empty, from 0 s on"
      guard !range.isEmpty, range.lowerBound >= .zero, length.map({ range.upperBound <= $0 }) ?? true else {
        throw MixSettingsProblem(
          field: "range", value: "\(range.lowerBound.seconds)…\(range.upperBound.seconds) s", permitted: permitted)
      }
    }
    let whole = range.map { $0.upperBound.samples - $0.lowerBound.samples } ?? length?.samples
    let seconds = whole.map { Double($0) / Double(SamplePosition.rate) }
    let permitted = seconds.map { "0…\($0) s, the length of what is mixed" } ?? "0 s or more"
    for (field, fade) in [("fadeIn", fadeIn), ("fadeOut", fadeOut)] {
      guard fade >= 0, whole.map({ fade <= $0 }) ?? true else {
        throw MixSettingsProblem(
          field: field, value: "\(Double(fade) / Double(SamplePosition.rate)) s", permitted: permitted)
      }
    }
    // Each is at most `whole` here, so the difference cannot overflow.
    guard let whole, let seconds, fadeIn > whole - fadeOut else { return }
    throw MixSettingsProblem(
      field: "fadeOut", value: "\(Double(fadeOut) / Double(SamplePosition.rate)) s",
      permitted: "both fades together at most \(seconds) s, the length of what is mixed")
  }

  private static func check(_ number: Int, among tracks: [Int]?) throws(MixSettingsProblem) {
    guard let tracks else {
      guard number >= 1 else {
        throw MixSettingsProblem(field: "channels", value: "\(number)", permitted: "track numbers, from 1")
      }
      return
    }
    guard tracks.contains(number) else {
      throw MixSettingsProblem(
        field: "channels", value: "\(number)",
        permitted: "the take's tracks with audio: \(tracks.map(String.init).joined(separator: ", "))")
    }
  }

  fileprivate static func check(
    _ value: Double, in range: ClosedRange<Double>, _ field: String, _ unit: String
  ) throws(MixSettingsProblem) {
    guard !range.contains(value) else { return }
    let blank = unit.isEmpty ? "" : " "
    throw MixSettingsProblem(
      field: field, value: "\(value)\(blank)\(unit)",
      permitted: "\(range.lowerBound)…\(range.upperBound)\(blank)\(unit)")
  }
}

extension MixSettings.Channel {
  fileprivate func check(field: String) throws(MixSettingsProblem) {
    try MixSettings.check(gain, in: MixSettings.gains, "\(field).gain", "dB")
    try MixSettings.check(pan, in: MixSettings.pans, "\(field).pan", "")
    guard MixSettings.offsets.contains(offset) else {
      throw MixSettingsProblem(
        field: "\(field).offset", value: "\(Double(offset) / Double(SamplePosition.rate)) s",
        permitted: "-600…600 s")
    }
    if let highPass { try MixSettings.check(highPass, in: MixSettings.highPasses, "\(field).highPass", "Hz") }
  }
}
