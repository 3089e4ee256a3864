/// A client's call of a method of the application.
package struct RTMPCallRequest: Hashable, Sendable {
  package let ticket: RTMPCallTicket
  /// To be looked up whole first; "service.method" where it has a dot.
  package let name: String
  package let arguments: [AMFValue]
}

/// What an answer has to repeat so that the client knows which call it is of.
///
/// The transaction number alone is no key: clients begin again at 1 and repeat numbers.
package struct RTMPCallTicket: Hashable, Sendable {
  let transaction: Double
  /// Answers go in the type of the call: 20 or 17.
  let isAMF3: Bool

  /// Whether the client waits for an answer; one that is given nevertheless is not sent.
  package var wantsAnswer: Bool { transaction != 0 }
}

/// What a call gave.
package enum RTMPAnswer: Hashable, Sendable {
  /// A value, null too.
  case value(AMFValue)
  /// The method gives nothing: the answer ends before the value, so that the client gets no argument at all.
  case void
}

/// Why a call, or a `connect`, was not carried out: Red5's constants for a pending call with a sentence.
///
/// The constants are not on the wire by themselves; they go along as the number `status` of the information object.
package struct RTMPCallError: Error, Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable, CaseIterable {
    case serviceNotFound = 0x10
    case methodNotFound = 0x11
    case accessDenied = 0x12
    /// The application said no, and this is its sentence.
    case invocationException = 0x13
    case generalException = 0x14
    case shuttingDown = 0x15
  }

  package var kind: Kind
  /// For the client; no class names, no paths.
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

  /// The information object of a call's `_error`.
  package var callStatus: RTMPStatus {
    let code = kind == .accessDenied ? RTMPStatus.Code.callProhibited : RTMPStatus.Code.callFailed
    return status(code)
  }

  /// The information object of the `_error` that answers `connect`.
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

  /// What an information object says; an unknown number is a general exception.
  package init(_ value: AMFValue?) {
    let number = value?["status"]?.number.flatMap { Int(exactly: $0) }
    let prohibited = value?["code"]?.string == RTMPStatus.Code.callProhibited
    kind = number.flatMap { Kind(rawValue: $0) } ?? (prohibited ? .accessDenied : .generalException)
    description = value?["description"]?.string ?? ""
  }
}
