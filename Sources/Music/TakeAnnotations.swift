/// Users' comments on a take.
package struct TakeAnnotations: Hashable, Sendable, Codable {
  package var title: String?
  /// 1 to 5; nil without a rating.
  package var rating: Int?
  package var isFavourite: Bool
  package var notes: String?
  /// In the order added; tags that differ only in case are equal.
  package var tags: [String]

  package init(
    title: String? = nil, rating: Int? = nil, isFavourite: Bool = false, notes: String? = nil, tags: [String] = []
  ) {
    self.title = title
    self.rating = rating
    self.isFavourite = isFavourite
    self.notes = notes
    self.tags = tags
  }

  private enum CodingKeys: String, CodingKey {
    case title, rating, isFavourite, notes, tags
  }

  /// Missing fields are empty.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    title = try values.decodeIfPresent(String.self, forKey: .title)
    rating = try values.decodeIfPresent(Int.self, forKey: .rating)
    isFavourite = try values.decodeIfPresent(Bool.self, forKey: .isFavourite) ?? false
    notes = try values.decodeIfPresent(String.self, forKey: .notes)
    tags = try values.decodeIfPresent([String].self, forKey: .tags) ?? []
  }

  /// True if there are no annotations.
  package var isEmpty: Bool { self == TakeAnnotations() }
}

extension TakeAnnotations {
  package static let ratings = 1...5
  /// Maximum number of tags per take.
  package static let maximumTags = 32

  /// Checks what differs from `former`: a text from before these limits does not keep the others from being edited.
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check(since former: TakeAnnotations = TakeAnnotations()) throws(ValueProblem) {
    if let title, title != former.title { try TextKind.title.check(title) }
    if let rating, !TakeAnnotations.ratings.contains(rating) {
      throw ValueProblem("rating", "\(rating)", "1 to 5, or null")
    }
    if let notes, notes != former.notes { try TextKind.notes.check(notes) }
    guard tags != former.tags else { return }
    guard tags.count <= TakeAnnotations.maximumTags else {
      throw ValueProblem("tags", "\(tags.count) tags", "at most \(TakeAnnotations.maximumTags)")
    }
    for tag in tags where !former.tags.contains(tag) { try TextKind.tag.check(tag) }
    guard Set(tags.map { $0.lowercased() }).count == tags.count else {
      throw ValueProblem("tags", tags.joined(separator: ", "), "every tag once (case does not count)")
    }
  }
}
