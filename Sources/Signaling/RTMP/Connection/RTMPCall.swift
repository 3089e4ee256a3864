/// A client's call of an application method.
package struct RTMPCallRequest: Hashable, Sendable {
  package let ticket: RTMPCallTicket
  /// To be looked up as a whole first; "service.method" if it contains a dot.
  package let name: String
  package let arguments: [AMFValue]

  /// Bytes of memory that the call takes until it is answered, estimated.
  package var footprint: Int { name.utf8.count &+ AMFValue.footprint(arguments) }
}

/// The data to be repeated in an answer, so that the client can match it to its call.
///
/// The transaction number alone is not a key: clients restart at 1 and repeat numbers.
package struct RTMPCallTicket: Hashable, Sendable {
  let transaction: Double
  /// The message type of the call, used for the answer: 20 or 17.
  let isAMF3: Bool

  /// True if the client waits for an answer; otherwise answers are not sent.
  package var wantsAnswer: Bool { transaction != 0 }
}

/// The result of a call.
package enum RTMPAnswer: Hashable, Sendable {
  /// A value, possibly null.
  case value(AMFValue)
  /// The method returns nothing: the answer ends before the value, so that the client receives no argument at all.
  case void
}

/// The reason why a call or a `connect` failed: a constant of Red5's pending calls, with a sentence.
///
/// The constants are sent only as the number `status` in the information object.
package struct RTMPCallError: Error, Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable, CaseIterable {
    case serviceNotFound = 0x10
    case methodNotFound = 0x11
    case accessDenied = 0x12
    /// The application refused, with this sentence.
    case invocationException = 0x13
    case generalException = 0x14
    case shuttingDown = 0x15
  }

  package var kind: Kind
  /// For the client, without class names or paths.
  package var description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  package static func serviceNotFound(_ name: String) -> RTMPCallError {
    RTMPCallError(.serviceNotFound, "Service not found: \(name)")
  }

  package static func methodNotFound(_ name: String) -> RTMPCallError {
    RTMPCallError(.methodNotFound, "Method \(name) not found")
  }

  /// The information object in the `_error` for a call.
  package var callStatus: RTMPStatus {
    let code = kind == .accessDenied ? RTMPStatus.Code.callProhibited : RTMPStatus.Code.callFailed
    return status(code)
  }

  /// The information object in the `_error` for `connect`.
  package var connectStatus: RTMPStatus {
    switch kind {
    case .serviceNotFound: status(RTMPStatus.Code.connectInvalidApp)
    case .accessDenied, .invocationException: status(RTMPStatus.Code.connectRejected)
    case .shuttingDown: status(RTMPStatus.Code.connectAppShutdown)
    case .methodNotFound, .generalException: status(RTMPStatus.Code.connectFailed)
    }
  }

  private func status(_ code: String) -> RTMPStatus {
    .error(code, description, more: [AMFMember("status", .number(Double(kind.rawValue)))])
  }

  /// Parses an information object; an unknown number is a general exception.
  package init(_ value: AMFValue?) {
    let number = value?["status"]?.number.flatMap { Int(exactly: $0) }
    let prohibited = value?["code"]?.string == RTMPStatus.Code.callProhibited
    kind = number.flatMap { Kind(rawValue: $0) } ?? (prohibited ? .accessDenied : .generalException)
    description = value?["description"]?.string ?? ""
  }
}
