import Music

/// An export as requested, before validation against the take.
///
/// The command line fills it from options, REST from the fields of a body. One place interprets and validates it:
/// `ExportWish.init(_:tracks:length:)`.
package struct ExportWords: Hashable, Sendable {
  package var kind = ExportKind.mix
  package var format = ExportFormat.flac24
  /// In Hz; nil for that of the time line.
  package var rate: Int?
  /// The settings without a range, which is in `from` and `to`.
  package var settings = MixSettings()
  /// Start of the export on the take's time line; nil for the beginning.
  package var from: SamplePosition?
  /// End of the export; nil for the take's end.
  package var to: SamplePosition?
  /// "as-played", or a musician: the take as heard in that musician's headphones.
  package var perspective: String?
  /// The musician whom the others followed.
  package var follow: String?
  package var source = TrackSource.take
  /// True to mix in the backing tracks that the room heard.
  package var hasBacking = false

  package init() {}

  /// The value of `perspective` for the take's own time line.
  package static let asPlayed = "as-played"
}

/// The reason why a requested export is invalid.
package enum ExportWishProblem: Error, Hashable, Sendable {
  /// The format does not have that sample rate.
  case rate(Int, ExportFormat)
  /// The end does not lie after the beginning.
  case emptyRange(from: SamplePosition, to: SamplePosition)
  case settings(MixSettingsProblem)
  /// No musician or more than one has the name in `perspective`.
  case perspective(TrackFindingProblem)
  /// No musician or more than one has the name in `follow`.
  case follow(TrackFindingProblem)
  /// Both `perspective` and `follow` are given.
  case perspectiveAndFollow
  /// An archive contains the take as it is and has no perspective.
  case perspectiveOfArchive
  /// Backing tracks are for mixes.
  case backingOfTracks
}

extension ExportWish {
  /// Interprets `words` for a take.
  ///
  /// - Parameters:
  ///   - tracks: the take's tracks with audio.
  ///   - length: length of the take's time line.
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
    guard words.kind == .mix || !words.hasBacking else { throw ExportWishProblem.backingOfTracks }
    self.init(
      kind: words.kind, format: words.format, rate: rate, settings: settings, perspective: perspective, title: title,
      source: words.source, hasBacking: words.hasBacking)
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
