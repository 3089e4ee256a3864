/// The members of a value that is an object, in order, each name once, and the name of its class where it has one.
package struct SharedFields: Hashable, Sendable {
  /// One name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: SharedValue

    package init(name: String, value: SharedValue) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var members: [Member]
  /// What a typed object of ActionScript calls its class; kept and handed on, never acted upon.
  package var className: String?

  /// Members in order; a later one of the same name replaces the earlier at its place.
  package init(_ elements: some Sequence<(String, SharedValue)>, className: String? = nil) {
    var members: [Member] = []
    var places: [String: Int] = [:]
    for (name, value) in elements {
      if let place = places[name] {
        members[place].value = value
      } else {
        places[name] = members.count
        members.append(Member(name: name, value: value))
      }
    }
    self.members = members
    self.className = className
  }

  /// The value of a name, nil where there is none.
  package subscript(name: String) -> SharedValue? {
    members.first { $0.name == name }?.value
  }
}

extension SharedFields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, SharedValue)...) {
    self.init(elements)
  }
}
