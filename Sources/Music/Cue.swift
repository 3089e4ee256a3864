/// A mark on a take's time line.
package struct Cue: Hashable, Sendable, Codable {
  package var id: CueID
  package var position: SamplePosition
  package var text: String
  package var author: ParticipantID?

  package init(id: CueID, position: SamplePosition, text: String, author: ParticipantID? = nil) {
    self.id = id
    self.position = position
    self.text = text
    self.author = author
  }
}
