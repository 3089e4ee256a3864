/// The members of a JSON object in the order in which they were written.
package struct JSONObject: Hashable, Sendable {
  /// One name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var members: [Member]

  package init() {
    members = []
  }

  /// Members in order; a later one of the same name replaces the earlier.
  package init(_ elements: some Sequence<(String, JSONValue)>) {
    members = []
    for (name, value) in elements { self[name] = value }
  }

  /// Takes members of which the parser has seen that no name comes twice.
  init(distinct members: [Member]) {
    self.members = members
  }

  /// The value of a name, nil where there is none; setting nil removes the member.
  ///
  /// A linear search: the objects of signaling have about ten members, and the parser bounds them all.
  package subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// A literal that has a name twice is a programmer's error, as with a dictionary; it is not searched for.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(distinct: elements.map { Member(name: $0.0, value: $0.1) })
  }
}
