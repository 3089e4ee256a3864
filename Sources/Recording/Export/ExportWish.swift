import Music

/// A requested export, validated against its take: the same type for the command line, REST and a service's jobs.
package struct ExportWish: Hashable, Sendable, Codable {
  package var kind: ExportKind
  package var format: ExportFormat
  /// In Hz.
  package var rate: Int
  package var settings: MixSettings
  package var perspective: Perspective
  /// The perspective in words: "as ada heard it".
  package var title: String
  /// The version of the tracks to use.
  package var source: TrackSource
  /// Nil for false, as in the orders of older releases.
  private var backing: Bool?
  /// True to mix in the backing tracks that the room heard.
  package var hasBacking: Bool { backing == true }

  package init(
    kind: ExportKind, format: ExportFormat, rate: Int, settings: MixSettings, perspective: Perspective, title: String,
    source: TrackSource = .take, hasBacking: Bool = false
  ) {
    self.kind = kind
    self.format = format
    self.rate = rate
    self.settings = settings
    self.perspective = perspective
    self.title = title
    self.source = source
    backing = hasBacking ? true : nil
  }

  /// Everything besides the take that determines the result, as a text that is equal for equal wishes.
  package var text: String {
    var parts = ["kind=\(kind.rawValue)", "format=\(format.rawValue)", "rate=\(rate)", "perspective=\(perspective)"]
    if source != .take { parts.append("source=\(source.rawValue)") }
    if hasBacking { parts.append("backing") }
    parts.append("gain=\(settings.gain)")
    parts.append("fades=\(settings.fadeIn),\(settings.fadeOut)")
    if let range = settings.range { parts.append("range=\(range.lowerBound.samples)-\(range.upperBound.samples)") }
    if let level = settings.normalization { parts.append("normalization=\(level.loudness),\(level.truePeak)") }
    // A channel without settings is equivalent to a missing one.
    for (number, channel) in settings.channels.sorted(by: { $0.key < $1.key }) where channel != .init() {
      let highPass = channel.highPass.map { "\($0)" } ?? "none"
      parts.append("channel\(number)=\(channel.gain),\(channel.pan),\(channel.isMuted),\(channel.isSolo)")
      parts.append("moved=\(channel.offset),\(highPass)")
    }
    return parts.joined(separator: ";")
  }
}
