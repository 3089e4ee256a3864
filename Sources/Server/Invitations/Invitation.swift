import Machines
import Music
import Recording
import Signaling

/// An invitation to a room: the claims of its join token, without the signature that makes them one.
///
/// So whoever reads the data folder can open nothing by it, and the service, which has the secret, can show the link
/// again.
struct Invitation: Hashable, Sendable, Codable {
  /// The claim `jti`, by which it is withdrawn.
  var id: String
  var room: RoomName
  /// Nil leaves the name free.
  var name: DisplayName?
  var role: Authority
  var createdAt: WallTime
  var expiresAt: WallTime
  /// The mark of the secret that has signed it (`JoinTokens.mark`): another one must not revive it.
  var signer: String

  /// Most valid ones at a time, of a room and of all rooms.
  static let maximumOfRoom = 500
  static let maximum = 10_000

  /// The token of the link; the same every time.
  func token(signedBy tokens: JoinTokens) -> String {
    tokens.make(room: room, name: name, role: role, id: id, issued: createdAt, expiry: expiresAt)
  }

  /// The properties by which its token ceases to hold.
  var stamp: TokenStamp {
    TokenStamp(
      id: id, room: room, issued: Double(createdAt.milliseconds) / 1e3, expiry: Double(expiresAt.milliseconds) / 1e3)
  }
}

/// The address of a room that others open, for links and QR codes.
enum InvitationLink {
  /// With the token in the fragment, which browsers send to no server and no other page.
  static func text(base: String, room: RoomName, token: String) -> String {
    "\(base)/?room=\(room.description.percentEncoded)#token=\(token)"
  }

  /// Of a service without keys, where the room's address is all that anybody needs.
  static func text(base: String, room: RoomName, name: DisplayName?) -> String {
    "\(base)/?room=\(room.description.percentEncoded)" + (name.map { "&name=\($0.description.percentEncoded)" } ?? "")
  }
}
