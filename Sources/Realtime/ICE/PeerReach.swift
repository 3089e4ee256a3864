/// The addresses to which media may go, in an operator's words: "public,nearby" or "public,10.8.0.0/16".
package struct PeerReach: Sendable, Hashable {
  /// A kind of address.
  package enum Word: String, Sendable, Hashable, CaseIterable {
    /// Addresses of the internet.
    case everywhere = "public"
    /// The networks of the addresses that we receive media on: a studio's own.
    case nearby
    /// Every private network.
    case everyPrivate = "private"
    /// This machine: loopback and its own addresses.
    case machine
  }

  package var words: Set<Word>
  /// Networks allowed by number, whatever their kind.
  package var networks: [IPNetwork]

  package init(_ words: Set<Word>, networks: [IPNetwork] = []) {
    self.words = words
    self.networks = networks
  }

  /// What a service allows unless told otherwise. With media on loopback, musicians may sit at this machine.
  package static func usual(onLoopback: Bool) -> PeerReach {
    PeerReach(onLoopback ? [.everywhere, .nearby, .machine] : [.everywhere, .nearby])
  }

  /// Parses words and networks separated by commas; "any" is all words together. Nil if something is neither.
  package init?(parsing text: String) {
    self.init([])
    let items = text.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
    guard !items.isEmpty else { return nil }
    for item in items {
      if item == "any" {
        words.formUnion(Word.allCases)
      } else if let word = Word(rawValue: item) {
        words.insert(word)
      } else if let network = IPNetwork(parsing: item) {
        networks.append(network)
      } else {
        return nil
      }
    }
  }
}
