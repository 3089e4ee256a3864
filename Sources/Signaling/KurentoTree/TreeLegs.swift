import Music

/// The connections of one session to trees: its sources and sinks.
struct TreeLegs {
  private struct Place: Hashable {
    var tree: RoomName
    /// Nil for the source.
    var sink: String?
  }

  /// Most connections per session.
  static let maximum = 256

  private var gates: [Place: CandidateGate] = [:]
  /// The tree to which a sink is being added, whose candidates may come before its name.
  private var growing: RoomName?

  var isFull: Bool { gates.count >= TreeLegs.maximum }

  /// Begins negotiating an offer for a source, or for a sink that has no name yet.
  mutating func begin(_ command: TreeCommand) {
    switch command {
    case .setSource(let tree, .offer): gates[Place(tree: tree), default: CandidateGate()].begin()
    case .addSink(let tree, _): growing = tree
    default: break
    }
  }

  /// Marks the answer to a source's or a sink's offer as sent; returns the candidates that may follow it.
  mutating func answered(_ tree: RoomName, sink: String?, _ answer: String) -> [CandidateMessage] {
    let place = Place(tree: tree, sink: sink)
    growing = nil
    let candidates = gates[place, default: CandidateGate()].open(answer)
    dropUnopened(of: tree, but: place)
    return candidates
  }

  /// Marks an offer as refused; returns the candidates of an earlier source.
  mutating func refused(_ command: TreeCommand) -> [CandidateMessage] {
    growing = nil
    switch command {
    case .setSource(let tree, .offer):
      let candidates = gates[Place(tree: tree)]?.reopen() ?? []
      dropUnopened(of: tree)
      return candidates
    case .addSink(let tree, _):
      dropUnopened(of: tree)
      return []
    default: return []
    }
  }

  /// Removes the connections ended by a command.
  mutating func giveUp(_ command: TreeCommand) {
    switch command {
    case .release(let tree): gates = gates.filter { $0.key.tree != tree }
    case .removeSource(let tree), .setSource(let tree, .mix), .setSource(let tree, .musician):
      gates[Place(tree: tree)] = nil
    case .removeSink(let tree, let sink): gates[Place(tree: tree, sink: sink)] = nil
    default: break
    }
  }

  /// Passes our candidate; nil while it is held back, or if the connection does not belong to this session.
  mutating func pass(_ candidate: CandidateMessage, _ tree: RoomName, sink: String?) -> CandidateMessage? {
    let place = Place(tree: tree, sink: sink)
    if gates[place] == nil {
      guard sink != nil, growing == tree, !isFull else { return nil }
      gates[place] = CandidateGate()
    }
    return gates[place]?.pass(candidate)
  }

  /// Drops candidates of connections that were never established.
  private mutating func dropUnopened(of tree: RoomName, but kept: Place? = nil) {
    gates = gates.filter { $0.key.tree != tree || $0.key == kept || $0.value.wasOpened }
  }
}
