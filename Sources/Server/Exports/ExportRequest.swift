import Music
import Recording
import Signaling

/// What somebody wants made of a take, read and checked.
struct ExportRequest: Hashable, Sendable {
  var kind: ExportKind
  var format: ExportFormat
  /// In Hz.
  var rate: Int
  var settings: MixSettings
  var perspective: Perspective
  /// The perspective in words: "as ada heard it".
  var title: String
  /// Which version of the tracks it is made of.
  var source = TrackSource.take

  /// Everything that the result depends on, beside the take, in one text that equal requests have in common.
  var text: String {
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
