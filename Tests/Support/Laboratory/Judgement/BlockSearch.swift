/// Finds the blocks of a musician in a track, one after another.
protocol BlockSearch {
  /// Samples by which the last block that was found lies later than it was captured.
  var lag: Double { get }

  /// - Parameters:
  ///   - place: where the block's first sample belongs.
  ///   - isKnown: true if a packet with it was delivered.
  mutating func look(for block: MusicianScore.Block, at place: Double, isKnown: Bool) -> BlockState

  /// True if there is sound where the block belongs.
  func isLoud(_ block: MusicianScore.Block, at place: Double) -> Bool
}

enum BlockState {
  case found(lag: Double)
  case missing
  /// Outside the take, or where nothing can be said.
  case beyond
}

/// Finds them by their sound.
struct SoundSearch: BlockSearch {
  /// By what a likeness of the search's reach is a find. 13.5 ms of noise below 8 kHz look 0.2 like another at most among
  /// fifty places, 0.35 among 50,000.
  private static let searches = [(reach: 24, likeness: 0.3), (reach: 480, likeness: 0.45)]
  private static let wideSearch = (reach: 24_000, likeness: 0.5)
  /// The likeness of a find that no packet accounts for: concealment repeats a few tones, which look up to 0.3 like noise
  /// that was never sent. What was decoded looks 0.9 like its noise and more, unless its decoder had just begun.
  private static let unaccounted = 0.6
  /// Wide searches in a row after which it is believed that nothing is there.
  private static let wideSearches = 4
  /// Share of the noise's level that is sound.
  private static let leastLevel = 0.1

  private let finder: NoiseFinder
  private(set) var lag = 0.0
  private var wide = 0

  init(sound: [Float], noise: [Float]) {
    finder = NoiseFinder(sound: sound, noise: noise)
  }

  mutating func look(for block: MusicianScore.Block, at place: Double, isKnown: Bool) -> BlockState {
    for search in SoundSearch.searches {
      guard let match = finder.find(block.first, count: TrackAnalysis.core, at: place + lag, reach: search.reach),
        match.likeness >= (isKnown ? search.likeness : SoundSearch.unaccounted)
      else { continue }
      lag += match.lag
      wide = 0
      return .found(lag: lag)
    }
    guard isKnown, wide < SoundSearch.wideSearches else { return .missing }
    let search = SoundSearch.wideSearch
    if let match = finder.find(block.first, count: TrackAnalysis.core, at: place, reach: search.reach),
      match.likeness >= search.likeness
    {
      lag = match.lag
      wide = 0
      return .found(lag: lag)
    }
    wide += 1
    return .missing
  }

  func isLoud(_ block: MusicianScore.Block, at place: Double) -> Bool {
    finder.loudness(at: Int(place + lag), count: TrackAnalysis.core, of: block.first) > SoundSearch.leastLevel
  }
}

/// Takes the render's word for where it put their packets.
struct PacketSearch: BlockSearch {
  /// The first sample of each packet, by SSRC and number (`MusicianScore.Packet.key`).
  let places: [UInt64: Double]
  private(set) var lag = 0.0

  init(places: [UInt64: Double]) {
    self.places = places
  }

  mutating func look(for block: MusicianScore.Block, at place: Double, isKnown: Bool) -> BlockState {
    guard let found = block.packet.flatMap({ places[$0.key] }) else { return .missing }
    lag = found - place
    return .found(lag: lag)
  }

  func isLoud(_ block: MusicianScore.Block, at place: Double) -> Bool { false }
}
