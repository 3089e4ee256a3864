extension String {
  /// How often `part` stands in it.
  func components(of part: String) -> Int { ranges(of: part).count }
}
