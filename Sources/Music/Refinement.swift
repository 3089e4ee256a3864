/// What the second look at a take's whole journal changed, which the first, that followed it, could not know.
package struct Refinement: Hashable, Sendable, Codable {
  /// Packets that are heard now and were not.
  package var packets: Int
  /// Packets that were heard and are not any more: what stood in their place was theirs.
  package var droppedPackets: Int
  /// The most by which a sound was moved, in milliseconds.
  package var greatestMove: Double

  package init(packets: Int, droppedPackets: Int, greatestMove: Double) {
    self.packets = packets
    self.droppedPackets = droppedPackets
    self.greatestMove = greatestMove
  }

  /// What is too little to write the files anew, in milliseconds.
  private static let leastMove = 0.25

  /// True where the files are worth being replaced.
  package var isWorthwhile: Bool {
    packets > droppedPackets || (packets == droppedPackets && greatestMove >= Refinement.leastMove)
  }
}

extension Refinement: CustomStringConvertible {
  package var description: String {
    let count = packets == 1 ? "1 packet more is" : "\(packets) packets more are"
    let move = (greatestMove * 10).rounded() / 10
    return "made more exact with hindsight: \(count) heard, sounds moved by up to \(move) ms"
  }
}

extension Refinement {
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  package func check() throws(ValueProblem) {
    guard packets >= 0, droppedPackets >= 0, greatestMove.isFinite else {
      throw ValueProblem("refinement", "\(self)", "counts from 0 and a length of time")
    }
  }
}
