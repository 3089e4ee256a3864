import Music

/// One call of a method of the band's own application, as its HTTP endpoint receives it.
package struct MethodCall: Hashable, Sendable {
  /// Longest name of a method, in bytes.
  package static let maximumName = 128

  /// Unique for each call.
  package var id: String
  package var method: String
  package var arguments: [SharedValue]
  package var room: RoomName
  package var participant: ParticipantID
  /// The caller's name in the room; nil if it is not known.
  package var name: String?
  /// What the caller's credentials permit.
  package var authority: Authority
  /// The same for all calls of one connection.
  package var connection: String
  /// The protocol of the caller.
  package var dialect: Authorisation.Door

  package init(
    id: String, method: String, arguments: [SharedValue], room: RoomName, participant: ParticipantID, name: String?,
    authority: Authority, connection: String, dialect: Authorisation.Door
  ) {
    (self.id, self.method, self.arguments, self.room) = (id, method, arguments, room)
    (self.participant, self.name, self.authority) = (participant, name, authority)
    (self.connection, self.dialect) = (connection, dialect)
  }

  /// - Throws: `MethodFailure` if no method can have this name.
  package static func check(_ method: String) throws(MethodFailure) {
    guard isName(method) else {
      throw MethodFailure(
        .unknown, "a method's name has 1 to \(maximumName) bytes, without blanks and control characters")
    }
  }

  package static func isName(_ method: String) -> Bool {
    (1...maximumName).contains(method.utf8.count)
      && method.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && !$0.properties.isWhitespace }
  }

  /// The body of the request. Values missing from JSON have the form of shared objects: `{"$date": …}`, `{"$bytes": …}`.
  package var body: JSONObject {
    [
      "id": .string(id), "method": .string(method), "arguments": .array(arguments.map(\.json)),
      "room": .string(room.description),
      "participant": ["id": .string(participant.description), "name": .optional(name)],
      "authority": .string(authority.rawValue), "connection": .string(connection),
      "dialect": .string(dialect.rawValue),
    ]
  }
}

/// The reason why a method has no result, with a sentence for the caller.
package struct MethodFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// Nobody has such a method.
    case unknown
    /// The application forbids it to this caller.
    case denied
    /// The application refused, with this sentence.
    case refused
    /// The application did not answer, or not in a readable form.
    case failed
  }

  package var kind: Kind
  package var sentence: String

  package init(_ kind: Kind, _ sentence: String) {
    (self.kind, self.sentence) = (kind, sentence)
  }

  /// For the native protocol and Kurento.
  package var refusal: RoomRefusal {
    switch kind {
    case .unknown: RoomRefusal(.unknownMethod, sentence)
    case .denied: RoomRefusal(.forbidden, sentence)
    case .refused, .failed: RoomRefusal(.callFailed, sentence)
    }
  }

  /// For RTMP, whose clients know more reasons.
  package var callError: RTMPCallError {
    switch kind {
    case .unknown: RTMPCallError(.methodNotFound, sentence)
    case .denied: RTMPCallError(.accessDenied, sentence)
    case .refused: RTMPCallError(.invocationException, sentence)
    case .failed: RTMPCallError(.generalException, sentence)
    }
  }
}
