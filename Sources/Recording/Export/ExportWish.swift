import Music

/// What somebody wants made of a take, read and held against it: the same value for the command line, REST and the jobs
/// of a service.
package struct ExportWish: Hashable, Sendable {
  package var kind: ExportKind
  package var format: ExportFormat
  /// In Hz.
  package var rate: Int
  package var settings: MixSettings
  package var perspective: Perspective
  /// The perspective in words: "as ada heard it".
  package var title: String
  /// Which version of the tracks it is made of.
  package var source: TrackSource

  package init(
    kind: ExportKind, format: ExportFormat, rate: Int, settings: MixSettings, perspective: Perspective, title: String,
    source: TrackSource = .take
  ) {
    self.kind = kind
    self.format = format
    self.rate = rate
    self.settings = settings
    self.perspective = perspective
    self.title = title
    self.source = source
  }

  /// Everything that the result depends on, beside the take, in one text that equal wishes have in common.
  package var text: String {
    var parts = ["kind=\(kind.rawValue)", "format=\(format.rawValue)", "rate=\(rate)", "perspective=\(perspective)"]
    if source != .take { parts.append("source=\(source.rawValue)") }
    parts.append("gain=\(settings.gain)")
    parts.append("fades=\(settings.fadeIn),\(settings.fadeOut)")
    if let range = settings.range { parts.append("range=\(range.lowerBound.samples)-\(range.upperBound.samples)") }
    if let level = settings.normalization { parts.append("normalization=\(level.loudness),\(level.truePeak)") }
    // A channel with nothing set is like one that is not there.
    for (number, channel) in settings.channels.sorted(by: { $0.key < $1.key }) where channel != .init() {
      let highPass = channel.highPass.map { "\($0)" } ?? "none"
      parts.append("channel\(number)=\(channel.gain),\(channel.pan),\(channel.isMuted),\(channel.isSolo)")
      parts.append("moved=\(channel.offset),\(highPass)")
    }
    return parts.joined(separator: ";")
  }
}
