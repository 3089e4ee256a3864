import Music

/// What both ends of REST have to call the same.
package enum RESTNames {
  /// What the `type` of every problem begins with: a name, not an address, because these problems need no page.
  package static let problemPrefix = "urn:jamjar:problem:"
  /// The media type of bodies.
  package static let json = "application/json"

  /// The path of a room's native signaling link.
  package static func signal(of room: RoomName) -> String { "/v1/rooms/\(room.description.percentEncoded)/signal" }
}
