import Music

/// Which events somebody wants to hear; nil means all.
package struct EventFilter: Hashable, Sendable {
  package var room: RoomName?
  package var kinds: Set<ServiceEventKind>?

  package init(room: RoomName? = nil, kinds: Set<ServiceEventKind>? = nil) {
    self.room = room
    self.kinds = kinds
  }

  package func admits(_ event: ServiceEvent) -> Bool {
    if let room, event.room != room { return false }
    return kinds?.contains(event.kind) ?? true
  }

  /// The kinds that a list such as "take,room.joined,export.*" names.
  /// - Throws: `UnknownWord` with the first word that names nothing.
  package static func kinds(_ text: String) throws(UnknownWord) -> Set<ServiceEventKind> {
    var kinds: Set<ServiceEventKind> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let blank: (Character) -> Bool = { $0 == " " }
      var word = String(part.drop(while: blank))
      while word.last == " " { word.removeLast() }
      let group = word.hasSuffix(".*") ? String(word.dropLast(2)) : word
      if let kind = ServiceEventKind(rawValue: word) { kinds.insert(kind) }
      let members = ServiceEventKind.allCases.filter { $0.group == group }
      guard !members.isEmpty || ServiceEventKind(rawValue: word) != nil else { throw UnknownWord(word: word) }
      kinds.formUnion(members)
    }
    return kinds
  }

  /// A word of a filter that names no kind and no group.
  package struct UnknownWord: Error, Hashable, Sendable {
    package var word: String
  }
}
