/// A song; takes are recordings of it.
package struct Song: Hashable, Sendable, Codable {
  package var id: SongID
  package var title: String
  /// The composers in order.
  package var composers: [String]
  /// In the user's notation: "F# minor".
  package var key: String?
  package var tempo: TempoMap?
  package var notes: String?
  /// Starts at 1 with the first take and increases by one with every edit; used to detect conflicting edits.
  package var revision: Int

  package init(
    id: SongID, title: String, composers: [String] = [], key: String? = nil, tempo: TempoMap? = nil,
    notes: String? = nil, revision: Int = 1
  ) {
    self.id = id
    self.title = title
    self.composers = composers
    self.key = key
    self.tempo = tempo
    self.notes = notes
    self.revision = revision
  }

  private enum CodingKeys: String, CodingKey {
    case id, title, composers, key, tempo, notes, revision
  }

  /// Also decodes the older form, which had only an identifier and a title.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(SongID.self, forKey: .id)
    title = try values.decode(String.self, forKey: .title)
    composers = try values.decodeIfPresent([String].self, forKey: .composers) ?? []
    key = try values.decodeIfPresent(String.self, forKey: .key)
    tempo = try values.decodeIfPresent(TempoMap.self, forKey: .tempo)
    notes = try values.decodeIfPresent(String.self, forKey: .notes)
    revision = try values.decodeIfPresent(Int.self, forKey: .revision) ?? 1
  }

  /// Encodes only existing fields: a song with just a title has the form of older releases.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(title, forKey: .title)
    if !composers.isEmpty { try values.encode(composers, forKey: .composers) }
    try values.encodeIfPresent(key, forKey: .key)
    try values.encodeIfPresent(tempo, forKey: .tempo)
    try values.encodeIfPresent(notes, forKey: .notes)
    if revision != 1 { try values.encode(revision, forKey: .revision) }
  }
}

extension Song {
  /// Maximum number of composers of a song.
  package static let maximumComposers = 32

  /// Checks what differs from `former`: a text from before these limits does not keep the others from being edited.
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check(since former: Song? = nil) throws(ValueProblem) {
    if title != former?.title { try TextKind.title.check(title) }
    guard composers.count <= Song.maximumComposers else {
      throw ValueProblem("composers", "\(composers.count) names", "at most \(Song.maximumComposers)")
    }
    for composer in composers where former?.composers.contains(composer) != true {
      try TextKind.composer.check(composer)
    }
    if let key, key != former?.key { try TextKind.key.check(key) }
    if let notes, notes != former?.notes { try TextKind.notes.check(notes) }
    try tempo?.check()
  }
}
