/// The reason why a take has no mix from a perspective.
package enum PerspectiveProblem: Error, Hashable, Sendable {
  /// The take has no track of this number with audio.
  case noSuchTrack(Int)
  /// Delays needed for the mix were never reported to the recorder.
  case notReported(Missing)

  /// The missing readings.
  package struct Missing: Hashable, Sendable {
    /// A listener whose client never reported the playout delay of a musician.
    package struct Playout: Hashable, Sendable {
      package var listener: String
      package var heard: String

      package init(listener: String, heard: String) {
        self.listener = listener
        self.heard = heard
      }
    }

    package var playouts: [Playout] = []
    /// Musicians whose round trip was never measured.
    package var roundTrips: [String] = []

    package init(playouts: [Playout] = [], roundTrips: [String] = []) {
      self.playouts = playouts
      self.roundTrips = roundTrips
    }

    package var isEmpty: Bool { playouts.isEmpty && roundTrips.isEmpty }

    /// The unreported musicians for each listener, in the order found.
    fileprivate var byListener: [(listener: String, heard: [String])] {
      var lists: [(listener: String, heard: [String])] = []
      for playout in playouts {
        if let index = lists.firstIndex(where: { $0.listener == playout.listener }) {
          lists[index].heard.append(playout.heard)
        } else {
          lists.append((playout.listener, [playout.heard]))
        }
      }
      return lists
    }

    mutating func add(_ other: Missing) {
      playouts += other.playouts.filter { !playouts.contains($0) }
      roundTrips += other.roundTrips.filter { !roundTrips.contains($0) }
    }
  }
}

extension PerspectiveProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuchTrack(let number):
      return "the take has no track \(number) with audio"
    case .notReported(let missing):
      var sentences: [String] = []
      for (listener, heard) in missing.byListener {
        sentences.append("\(listener)'s client never reported how late it plays \(heard.joined(separator: " and "))")
      }
      if !missing.playouts.isEmpty {
        sentences.append(
          "a client that sends \"stats\" with \"playout\" provides it (the web page does so every 5 s, see "
            + "docs/protocol.md)")
      }
      for name in missing.roundTrips { sentences.append("the round trip to \(name) was never measured") }
      if !missing.roundTrips.isEmpty {
        sentences.append("a sender that answers the recorder's RTCP sender reports with receiver reports brings that")
      }
      return sentences.joined(separator: "; ")
    }
  }
}
