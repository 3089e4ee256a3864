/// A backing track of a room: sound that everybody hears while they play, and that no track contains.
package struct Backing: Hashable, Sendable, Codable {
  package var id: BackingID
  package var room: RoomName
  /// What its list shows: usually the name of the file that was sent.
  package var title: String
  /// In samples at 48 kHz, whatever the rate of the file that was sent.
  package var length: SamplePosition
  package var addedAt: WallTime

  package init(id: BackingID, room: RoomName, title: String, length: SamplePosition, addedAt: WallTime) {
    self.id = id
    self.room = room
    self.title = title
    self.length = length
    self.addedAt = addedAt
  }
}

package typealias BackingID = Identifier<Backing>

/// A stretch of a take during which its room heard a backing track.
package struct BackedStretch: Hashable, Sendable, Codable {
  package var backing: BackingID
  package var title: String
  /// The sample of the take at which sample `from` of the backing track was to be heard.
  package var start: SamplePosition
  package var from: SamplePosition
  package var length: SamplePosition

  package init(
    backing: BackingID, title: String, start: SamplePosition, from: SamplePosition, length: SamplePosition
  ) {
    self.backing = backing
    self.title = title
    self.start = start
    self.from = from
    self.length = length
  }

  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    for (name, position) in [("start", start), ("from", from), ("length", length)] where position < .zero {
      throw ValueProblem("\(name) of a backing track", "\(position.samples) samples", "0 or more")
    }
  }
}
