extension SharedObjectRecord {
  /// The same in as few records as there are objects: what a later one overwrites is left out.
  package static func folded(_ records: [SharedObjectRecord]) -> [SharedObjectRecord] {
    var order: [SharedObjectName] = []
    var last: [SharedObjectName: SharedObjectRecord] = [:]
    for record in records {
      if last[record.name] == nil { order.append(record.name) }
      switch (last[record.name], record) {
      case (.change(_, _, let former), .change(let name, let version, let changes)):
        // Taken out for the moment, so that the list is not copied at every record.
        last[name] = nil
        var all = former
        all += changes
        last[name] = .change(name, version: version, all)
      case (.object(let object), .change(let name, _, _)):
        var objects = [name: object]
        objects.replay(record)
        last[name] = objects[name].map { .object($0) }
      // Nobody writes to what is no more; should it happen, what is new counts.
      case (.removed, .change(let name, let version, let changes)):
        last[name] = .change(name, version: version, [.clear] + changes)
      case (_, .object), (_, .removed), (nil, .change): last[record.name] = record
      }
    }
    return order.compactMap { name in
      guard case .change(_, let version, let changes) = last[name] else { return last[name] }
      return .change(name, version: version, SharedChange.folded(changes))
    }
  }

  private var name: SharedObjectName {
    switch self {
    case .object(let object): object.name
    case .change(let name, _, _), .removed(let name): name
    }
  }
}

extension SharedChange {
  /// The last word on every slot, in the order in which the slots came.
  fileprivate static func folded(_ changes: [SharedChange]) -> [SharedChange] {
    let begin = changes.lastIndex(of: .clear)
    var values: [String: (value: SharedValue, place: Int)] = [:]
    var removed: Set<String> = []
    for (place, change) in changes.enumerated().dropFirst(begin ?? 0) {
      switch change {
      case .set(let key, let value): values[key] = (value, values[key]?.place ?? place)
      case .remove(let key):
        // A slot that comes back stands behind those that came meanwhile.
        values[key] = nil
        removed.insert(key)
      case .clear, .send: break
      }
    }
    let sets = values.sorted { $0.value.place < $1.value.place }.map { SharedChange.set($0.key, $0.value.value) }
    return (begin == nil ? [] : [.clear]) + removed.sorted().map { .remove($0) } + sets
  }
}
