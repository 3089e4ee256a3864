extension SharedValue {
  /// This value after a merge patch (RFC 7396 section 2): objects merge member by member, null takes a member away,
  /// everything else replaces.
  package func merged(with patch: SharedValue) -> SharedValue {
    guard case .object(let changes) = patch else { return patch }
    var fields = SharedFields([], className: changes.className)
    if case .object(let own) = self { fields = SharedFields(own.pairs, className: changes.className ?? own.className) }
    var pairs = fields.pairs
    var places = Dictionary(pairs.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { $1 })
    for change in changes.members {
      let place = places[change.name]
      if change.value == .null {
        // Taken out below, so that places stay right.
        if let place { pairs[place].1 = .null }
      } else if let place {
        pairs[place].1 = pairs[place].1.merged(with: change.value)
      } else {
        places[change.name] = pairs.count
        pairs.append((change.name, SharedValue.null.merged(with: change.value)))
      }
    }
    let removed = Set(changes.members.filter { $0.value == .null }.map(\.name))
    return .object(SharedFields(pairs.filter { !removed.contains($0.0) }, className: fields.className))
  }
}

extension SharedFields {
  fileprivate var pairs: [(String, SharedValue)] { members.map { ($0.name, $0.value) } }
}
