import Music

@testable import Catalog

/// What a condition means, without an index: a look at everything that is known of one take.
extension ConditionTests {
  /// A take with all that a query may ask about.
  struct Kept {
    var take: Take
    var tracks: [Track]
    var cues: [Cue]

    /// The texts, each of which a phrase has to fit into.
    var texts: [String] {
      [take.annotations.title, take.annotations.notes, take.song?.title].compactMap(\.self) + take.annotations.tags
        + tracks.flatMap { ["\($0.participant.name)", $0.part].compactMap(\.self) } + cues.map(\.text)
    }
  }

  static func holds(_ condition: TakeCondition, _ kept: Kept) -> Bool {
    switch condition {
    case .term(let term): holds(term, kept)
    case .not(let inner): !holds(inner, kept)
    case .all(let parts): parts.allSatisfy { holds($0, kept) }
    case .any(let parts): parts.contains { holds($0, kept) }
    }
  }

  /// Every word of `text` begins a word of one of `texts`; never if it has none.
  static func hasWords(_ text: String, in texts: [String]) -> Bool {
    let wanted = SearchWords.split(text)
    let words = texts.flatMap(SearchWords.split)
    return !wanted.isEmpty && wanted.allSatisfy { each in words.contains { $0.hasPrefix(each) } }
  }

  static func hasPhrase(_ text: String, in texts: [String]) -> Bool {
    let wanted = SearchWords.split(text)
    return !wanted.isEmpty
      && texts.contains { text in
        let words = SearchWords.split(text)
        return words.indices.contains { words[$0...].starts(with: wanted) }
      }
  }

  private static func texts(_ field: TakeTerm.TextField, _ kept: Kept) -> [String] {
    switch field {
    case .title: [kept.take.annotations.title].compactMap(\.self)
    case .note: [kept.take.annotations.notes].compactMap(\.self)
    case .cue: kept.cues.map(\.text)
    }
  }

  private static func holds(_ term: TakeTerm, _ kept: Kept) -> Bool {
    let take = kept.take
    switch term {
    case .word(let text): return hasWords(text, in: kept.texts)
    case .phrase(let text): return hasPhrase(text, in: kept.texts)
    case .textWord(let field, let text): return hasWords(text, in: texts(field, kept))
    case .textPhrase(let field, let text): return hasPhrase(text, in: texts(field, kept))
    case .named(let field, let pattern):
      let (names, ids): ([String], [String]) =
        switch field {
        case .room: (["\(take.room)"], [])
        case .song: ([take.song?.title].compactMap(\.self), [take.song.map { "\($0.id)" }].compactMap(\.self))
        case .participant: (kept.tracks.map { "\($0.participant.name)" }, kept.tracks.map { "\($0.participant.id)" })
        case .tag: (take.annotations.tags, [])
        }
      let wanted = SearchWords.name(pattern.text)
      return ids.contains(pattern.text)
        || names.map(SearchWords.name).contains { pattern.isBeginning ? $0.hasPrefix(wanted) : $0 == wanted }
    case .absent(let field):
      switch field {
      case .song: return take.song == nil
      case .tag: return take.annotations.tags.isEmpty
      case .rating: return take.annotations.rating == nil
      case .title: return take.annotations.title == nil
      case .note: return take.annotations.notes == nil
      case .cue: return kept.cues.isEmpty
      }
    case .session(let id): return take.session == id
    case .state(let state): return take.state == state
    case .favourite(let isFavourite): return take.annotations.isFavourite == isFavourite
    case .id(let prefix): return "\(take.id)".hasPrefix(prefix)
    case .rating(let range): return take.annotations.rating.map(range.contains) ?? false
    case .count(let field, let range):
      switch field {
      case .number: return range.contains(take.number)
      case .tracks: return range.contains(kept.tracks.count)
      case .gaps: return range.contains(kept.tracks.reduce(0) { $0 + $1.gaps.count })
      }
    case .duration(let range): return take.length.map { range.contains($0.samples / 48) } ?? false
    case .after(let time): return take.startedAt >= time
    case .before(let time): return take.startedAt < time
    }
  }
}
