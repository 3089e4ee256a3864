import Music

/// Generates takes like those of a busy studio, the same in every run.
struct GeneratedCatalog {
  /// SplitMix64.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }

  static let words = [
    "blue", "red", "green", "autumn", "leaves", "summer", "night", "train", "river", "moon", "café", "naïve", "stella",
    "giant", "steps", "black", "orpheus", "wave", "corcovado", "misty", "round", "midnight", "so", "what", "footprints",
    "dolphin", "dance", "maiden", "voyage", "cantaloupe", "island", "watermelon", "man", "song", "for", "my", "father",
    "nardis", "waltz", "debby", "peace", "piece", "spring", "lush", "life", "solar", "oleo", "doxy", "airegin", "tune",
  ]
  private static let names = [
    "Ada", "Bo", "Chloé", "Dmitri", "Élodie", "Farah", "Göran", "Hana", "Ivo", "Jürgen", "Kofi", "Lucía", "Mei", "Noor",
  ]
  private static let tags = ["keeper", "groovy", "needs bass", "for the album", "too slow", "rehearsal"]

  private var generator = Generator(state: 1)
  private let count: Int
  let rooms: [RoomName]
  let songs: [Song]
  let people: [Participant]
  private var session: Session
  /// Ten years back from 2026.
  private var time: Int64 = 1_480_000_000_000
  private var numbers: [Int: Int] = [:]

  init(count: Int) throws {
    self.count = count
    var generator = generator
    let start = WallTime(milliseconds: time)
    rooms = try (1...50).map { try RoomName(checking: "Room \($0)") }
    songs = (1...2_000).map { number in
      let title = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        GeneratedCatalog.words[Int.random(in: 0..<GeneratedCatalog.words.count, using: &generator)]
      }.joined(separator: " ")
      return Song(id: SongID(ULID(at: start, using: &generator)), title: "\(title) \(number)")
    }
    people = try (1...500).map { number in
      Participant(
        id: ParticipantID(ULID(at: start, using: &generator)),
        name: try DisplayName(checking: "\(GeneratedCatalog.names[number % 14]) \(number)"))
    }
    session = Session(id: SessionID(ULID(at: start, using: &generator)), room: rooms[0], startedAt: start)
    self.generator = generator
  }

  /// The next take with two tracks.
  mutating func next(_ number: Int) -> TakeContents {
    // One take every five minutes over ten years, ten takes per session.
    time += 315_000_000_000 / Int64(count) + Int64.random(in: 0...999, using: &generator)
    let start = WallTime(milliseconds: time)
    if number % 10 == 0 {
      session = Session(
        id: SessionID(ULID(at: start, using: &generator)), room: rooms[random(rooms.count)], startedAt: start)
    }
    let id = TakeID(ULID(at: start, using: &generator))
    let length = SamplePosition(48_000 * Int64.random(in: 20...600, using: &generator))
    let chosen = random(songs.count)
    numbers[chosen, default: 0] += 1
    let take = Take(
      id: id, number: numbers[chosen] ?? 1, state: random(1_000) == 0 ? .failed : .ready, room: session.room,
      session: session.id, song: random(10) == 0 ? nil : songs[chosen], startedAt: start,
      endedAt: WallTime(milliseconds: time + length.samples / 48), length: length, trackCount: 2,
      folder: "generated/\(number / 1_000)/\(id)", annotations: annotations(), loudness: -20)
    let tracks = (1...2).map { place in
      Track(
        id: TrackID(ULID(at: start, using: &generator)), take: id, number: place,
        participant: people[random(people.count)], part: place == 1 ? "guitar" : "bass", length: length,
        file: "0\(place).flac", peak: -3, loudness: -20)
    }
    return TakeContents(take: take, tracks: tracks, cues: [])
  }

  private mutating func annotations() -> TakeAnnotations {
    var annotations = TakeAnnotations()
    if random(3) == 0 { annotations.rating = 1 + random(5) }
    annotations.isFavourite = random(20) == 0
    if random(4) == 0 { annotations.tags = [GeneratedCatalog.tags[random(GeneratedCatalog.tags.count)]] }
    if random(5) == 0 {
      annotations.notes = (0..<8).map { _ in GeneratedCatalog.words[random(GeneratedCatalog.words.count)] }
        .joined(separator: " ")
    }
    return annotations
  }

  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}
