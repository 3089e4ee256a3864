/// One line of the file with a room's persistent objects.
package enum SharedObjectRecord: Hashable, Sendable {
  /// A complete object: a new one, or the combination of earlier lines.
  case object(SharedObject)
  /// The effects of a change message, or of a use, on an object.
  case change(SharedObjectName, version: Int, [SharedChange])
  /// The object was removed.
  case removed(SharedObjectName)
}

extension SharedObjectRecord {
  package var json: JSONObject {
    switch self {
    case .object(let object):
      return [
        "object": .string(object.name.description), "version": .integer(Int64(object.version)),
        "creator": .optional(object.creator), "slots": .object(SharedObjectEvent.json(object.slots)),
      ]
    case .change(let name, let version, let changes):
      return [
        "object": .string(name.description), "version": .integer(Int64(version)),
        "changes": .array(changes.map { .object($0.json) }),
      ]
    case .removed(let name): return ["object": .string(name.description), "removed": true]
    }
  }

  /// - Throws: `RoomRefusal` with the expected form of the line.
  package init(_ json: JSONObject) throws(RoomRefusal) {
    let fields = NativeFields(json, of: "a line of shared state")
    let name = try SharedObjectName(checking: try fields.string("object"))
    if try fields.optionalBool("removed") == true {
      self = .removed(name)
      return
    }
    let version = try fields.integer("version", in: 1...Int.max)
    guard fields.has("slots") else {
      self = .change(name, version: version, try SharedChange.all(fields))
      return
    }
    var object = SharedObject(name: name, isPersistent: true, creator: try fields.optionalString("creator"))
    for slot in try SharedObjectEvent.slots(fields) { object.store(slot.value, at: slot.key) }
    object.version = version
    self = .object(object)
  }
}

extension [SharedObjectName: SharedObject] {
  /// Repeats the change recorded in a line.
  package mutating func replay(_ record: SharedObjectRecord) {
    switch record {
    case .object(let object): self[object.name] = object
    case .removed(let name): self[name] = nil
    case .change(let name, let version, let changes):
      // If the line that created the object was damaged, the remaining changes are still worth keeping.
      var object = self[name] ?? SharedObject(name: name, isPersistent: true)
      for change in changes {
        switch change {
        case .set(let key, let value): object.store(value, at: key)
        case .remove(let key): _ = object.take(key)
        case .clear: object.empty()
        case .send: break
        }
      }
      object.version = version
      self[name] = object
    }
  }
}

extension SharedObjectRecord {
  /// Combines records into one per object, dropping overwritten values.
  package static func folded(_ records: [SharedObjectRecord]) -> [SharedObjectRecord] {
    var order: [SharedObjectName] = []
    var last: [SharedObjectName: SharedObjectRecord] = [:]
    for record in records {
      if last[record.name] == nil { order.append(record.name) }
      switch (last[record.name], record) {
      case (.change(_, _, let former), .change(let name, let version, let changes)):
        // Removed temporarily, so that the list is not copied for every record.
        last[name] = nil
        var all = former
        all += changes
        last[name] = .change(name, version: version, all)
      case (.object(let object), .change(let name, _, _)):
        var objects = [name: object]
        objects.replay(record)
        last[name] = objects[name].map { .object($0) }
      // Changes after a removal should not occur; if they do, the new ones apply.
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
  /// The last change of every slot, in the order in which the slots appeared.
  fileprivate static func folded(_ changes: [SharedChange]) -> [SharedChange] {
    let begin = changes.lastIndex(of: .clear)
    var values: [String: (value: SharedValue, place: Int)] = [:]
    var removed: Set<String> = []
    for (place, change) in changes.enumerated().dropFirst(begin ?? 0) {
      switch change {
      case .set(let key, let value): values[key] = (value, values[key]?.place ?? place)
      case .remove(let key):
        // A slot that was removed and set again comes after those added meanwhile.
        values[key] = nil
        removed.insert(key)
      case .clear, .send: break
      }
    }
    let sets = values.sorted { $0.value.place < $1.value.place }.map { SharedChange.set($0.key, $0.value.value) }
    return (begin == nil ? [] : [.clear]) + removed.sorted().map { .remove($0) } + sets
  }
}
