import Music

/// Where a client of XirSys wants to go: `domain/application/room`, of which Jamjar keeps the room.
package struct XirSysChannel: Hashable, Sendable {
  /// As the client names it, without a slash at either end.
  package let path: String
  /// Its last part, as the client names it.
  package let roomText: String
  package let room: RoomName

  /// Most bytes of a path.
  private static let longest = 512
  /// XirSys' own name where none is given.
  private static let standard = "default"

  /// The three parts of version 2; missing ones are `default`.
  /// - Parameter bound: the room of the account, if all its rooms are one.
  /// - Throws: `RoomRefusal` `.invalidName`.
  package init(domain: String?, application: String?, room: String?, bound: RoomName? = nil) throws(RoomRefusal) {
    let parts = [domain, application, room].map { part in
      part.flatMap { $0.isEmpty ? nil : $0 } ?? XirSysChannel.standard
    }
    try self.init(parts: parts, bound: bound)
  }

  /// The path of version 3, of any depth.
  /// - Throws: `RoomRefusal` `.invalidName`.
  package init(path: String, bound: RoomName? = nil) throws(RoomRefusal) {
    let parts = path.split(separator: "/").map(String.init)
    try self.init(parts: parts.isEmpty ? [XirSysChannel.standard] : parts, bound: bound)
  }

  private init(parts: [String], bound: RoomName?) throws(RoomRefusal) {
    path = parts.joined(separator: "/")
    roomText = parts.last ?? XirSysChannel.standard
    guard path.utf8.count <= XirSysChannel.longest else {
      throw RoomRefusal(.invalidName, "the channel has more than \(XirSysChannel.longest) bytes")
    }
    if let bound {
      room = bound
      return
    }
    do throws(NameError) {
      room = try RoomName(checking: roomText)
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
  }

  /// The name of a user.
  /// - Throws: `RoomRefusal` `.invalidName`; a slash would end a name in dialect B.
  package static func user(_ text: String?) throws(RoomRefusal) -> DisplayName {
    guard let text, !text.isEmpty else {
      throw RoomRefusal(.invalidName, "there is no username; it is the name by which the others see you")
    }
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    let name: DisplayName
    do throws(NameError) {
      name = try DisplayName(checking: String(trimmed))
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
    guard !name.description.contains("/") else {
      throw RoomRefusal(.invalidName, "the username contains \"/\", which ends a name on this wire")
    }
    return name
  }
}
