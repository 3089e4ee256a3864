import Music

/// An export in the words in which somebody wants it, before they are held against the take.
///
/// The command line fills it from options, REST from the fields of a body; what the words mean, and whether they can be,
/// is decided in one place: `ExportWish.init(_:tracks:length:)`.
package struct ExportWords: Hashable, Sendable {
  package var kind = ExportKind.mix
  package var format = ExportFormat.flac24
  /// In Hz; nil for that of the time line.
  package var rate: Int?
  /// Without a range, which `from` and `to` tell.
  package var settings = MixSettings()
  /// Where the export begins on the take's time line, nil for the beginning.
  package var from: SamplePosition?
  /// Where it ends, nil for the end.
  package var to: SamplePosition?
  /// "as-played", or the musician whose headphones it is.
  package var perspective: String?
  /// The musician whom the others followed.
  package var follow: String?
  package var source = TrackSource.take

  package init() {}

  /// What `perspective` says for the take's own time line.
  package static let asPlayed = "as-played"
}

/// Why an export cannot be as somebody wants it.
package enum ExportWishProblem: Error, Hashable, Sendable {
  /// The format does not have that sample rate.
  case rate(Int, ExportFormat)
  /// The end does not lie behind the beginning.
  case emptyRange(from: SamplePosition, to: SamplePosition)
  case settings(MixSettingsProblem)
  /// Nobody is called as `perspective` says, or several are.
  case perspective(TrackFindingProblem)
  /// Nobody is called as `follow` says, or several are.
  case follow(TrackFindingProblem)
  /// Both are there.
  case perspectiveAndFollow
  /// An archive is the take as it is.
  case perspectiveOfArchive
}

extension ExportWish {
  /// What `words` mean for a take.
  ///
  /// - Parameters:
  ///   - tracks: those of the take that have audio.
  ///   - length: of the take's time line.
  package init(_ words: ExportWords, tracks: [Track], length: SamplePosition) throws(ExportWishProblem) {
    let rate = words.rate ?? Int(SamplePosition.rate)
    guard words.format.rates.contains(rate) else { throw ExportWishProblem.rate(rate, words.format) }
    var settings = words.settings
    if words.from != nil || words.to != nil {
      let (start, end) = (words.from ?? .zero, words.to ?? length)
      guard start < end else { throw ExportWishProblem.emptyRange(from: start, to: end) }
      settings.range = start..<end
    }
    do throws(MixSettingsProblem) {
      try settings.check(tracks: tracks.map(\.number), length: length)
    } catch {
      throw ExportWishProblem.settings(error)
    }
    let (perspective, title) = try words.perspective(among: TrackFinder(among: tracks))
    guard words.kind != .archive || perspective == .asPlayed else { throw ExportWishProblem.perspectiveOfArchive }
    self.init(
      kind: words.kind, format: words.format, rate: rate, settings: settings, perspective: perspective, title: title,
      source: words.source)
  }
}

extension ExportWords {
  fileprivate func perspective(among finder: TrackFinder) throws(ExportWishProblem) -> (Perspective, title: String) {
    if let follow {
      guard perspective == nil else { throw ExportWishProblem.perspectiveAndFollow }
      do throws(TrackFindingProblem) {
        let leader = try finder.track(follow)
        return (.following(leader.number), "following \(leader.participant.name)")
      } catch {
        throw ExportWishProblem.follow(error)
      }
    }
    guard let perspective, perspective != ExportWords.asPlayed else { return (.asPlayed, "as played") }
    do throws(TrackFindingProblem) {
      let listener = try finder.track(perspective)
      return (.heard(by: listener.number), "as \(listener.participant.name) heard it")
    } catch {
      throw ExportWishProblem.perspective(error)
    }
  }
}
