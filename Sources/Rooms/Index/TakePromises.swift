import Music

/// Numbers and songs assigned to takes while the index could not assign any; it stores them later.
struct TakePromises {
  private struct Place: Hashable {
    var room: RoomName
    var song: SongID?
  }

  private var highest: [Place: Int] = [:]
  /// By case-folded title; canonically equivalent texts are one key.
  private var songs: [String: Song] = [:]

  /// Returns the song with a title; a new song, as old as its take, if neither the index nor an earlier promise knows
  /// it.
  mutating func song(titled title: String, known: Song?, at time: WallTime) -> Song {
    if let known { return known }
    let key = title.uppercased().lowercased()
    if let promised = songs[key] { return promised }
    let song = Song(id: SongID(at: time), title: title)
    songs[key] = song
    return song
  }

  /// Returns the next number of a room and song; `known` comes from the index or the disk.
  mutating func number(in room: RoomName, song: SongID?, known: Int) -> Int {
    let place = Place(room: room, song: song)
    let number = max(known, (highest[place] ?? 0) + 1)
    highest[place] = number
    return number
  }

  /// The next number after those in the names of takes' folders ("07-untitled", "07-untitled-2"), for one song's
  /// name.
  static func next(after names: some Sequence<String>, song: String) -> Int {
    var highest = 0
    for name in names {
      let digits = name.prefix(while: \.isNumber)
      guard let number = Int(digits), name.dropFirst(digits.count).hasPrefix("-" + song) else { continue }
      let rest = name.dropFirst(digits.count + 1 + song.count)
      guard rest.isEmpty || (rest.first == "-" && rest.dropFirst().allSatisfy(\.isNumber)) else { continue }
      highest = max(highest, min(number, Int.max - 1))
    }
    return highest + 1
  }
}

/// Takes and sessions that may not be in the index yet, so that requests by identifier still find them.
struct TakesInProgress {
  /// Maximum number of each; beyond it, the oldest are found only once the index has them.
  private static let capacity = 1_024

  private(set) var takes: [TakeID: Take] = [:]
  private(set) var sessions: [SessionID: Session] = [:]

  mutating func add(_ take: Take) {
    takes[take.id] = take
    if takes.count > TakesInProgress.capacity, let oldest = takes.keys.min() { takes[oldest] = nil }
  }

  mutating func set(_ state: TakeState, of take: TakeID) { takes[take]?.state = state }
  mutating func remove(_ take: TakeID) { takes[take] = nil }

  /// Clears all entries except rolling takes, since the index is now complete.
  mutating func removeAllButRolling() {
    takes = takes.filter { $0.value.state == .rolling }
    sessions = sessions.filter { $0.value.endedAt == nil }
  }

  mutating func add(_ session: Session) {
    sessions[session.id] = session
    if sessions.count > TakesInProgress.capacity, let oldest = sessions.keys.min() { sessions[oldest] = nil }
  }

  mutating func end(_ session: SessionID, at time: WallTime) { sessions[session]?.endedAt = time }
  mutating func remove(_ session: SessionID) { sessions[session] = nil }
}
