import Music

/// A client's seat in a room, as granted by a join.
package struct Seating: Hashable, Sendable {
  package var participant: ParticipantID
  /// The secret for a later join to take over this seat.
  package var resumeSecret: String
  package var snapshot: RoomSnapshot
  package var iceServers: [ICEServer]
  /// Time that seat and media outlive the link, in seconds.
  package var gracePeriod: Double
  /// What the credentials allow: those of a listener change nothing.
  package var authority: Authority

  package init(
    participant: ParticipantID, resumeSecret: String, snapshot: RoomSnapshot, iceServers: [ICEServer] = [],
    gracePeriod: Double, authority: Authority
  ) {
    self.authority = authority
    self.participant = participant
    self.resumeSecret = resumeSecret
    self.snapshot = snapshot
    self.iceServers = iceServers
    self.gracePeriod = gracePeriod
  }
}

/// A wish to enter a room, and the token that proves the right to it.
package struct RoomEntry: Hashable, Sendable {
  package var room: RoomName
  package var request: JoinRequest
  package var token: String?

  package init(_ room: RoomName, _ request: JoinRequest, token: String? = nil) {
    self.room = room
    self.request = request
    self.token = token
  }
}

/// A STUN or TURN server in the format of browsers (W3C WebRTC, RTCIceServer).
package struct ICEServer: Hashable, Sendable {
  package var urls: [String]
  package var username: String?
  package var credential: String?

  package init(urls: [String], username: String? = nil, credential: String? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}
