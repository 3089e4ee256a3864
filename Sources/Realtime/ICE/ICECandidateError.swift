/// Why a text is no ICE candidate, and what would be right; the sentence quotes no address.
package enum ICECandidateError: Error, Sendable, Hashable, CustomStringConvertible {
  case empty
  case tooLong(limit: Int)
  case notPlainText
  case tooFewFields(found: Int)
  case malformedComponent
  case malformedPriority
  case malformedAddress
  case malformedPort
  case unknownType
  case unknownTCPType
  case unpairedExtension
  case tooManyExtensions(limit: Int)

  /// A stable word for faces that switch on it.
  package var code: String { "candidate-malformed" }

  /// A sentence with what would be right.
  package var description: String {
    switch self {
    case .empty: "The candidate is empty, which ends the candidates and is none itself."
    case .tooLong(let limit): "The candidate is too long; at most \(limit) bytes are read."
    case .notPlainText: "The candidate holds control characters or letters outside ASCII."
    case .tooFewFields(let found):
      "The candidate has \(found) fields; it should read "
        + "\"candidate:<foundation> <component> <udp|tcp> <priority> <address> <port> typ <type>\"."
    case .malformedComponent: "The candidate's component should be a number from 1 to 256."
    case .malformedPriority: "The candidate's priority should be a number from 1 to 4294967295."
    case .malformedAddress: "The candidate's address should be an IP address or a host name."
    case .malformedPort: "The candidate's port should be a number from 0 to 65535."
    case .unknownType: "The candidate's type should read \"typ\" and host, srflx, prflx or relay."
    case .unknownTCPType: "The candidate's tcptype should be active, passive or so."
    case .unpairedExtension: "The candidate ends with an extension name without a value; they come in pairs."
    case .tooManyExtensions(let limit): "The candidate has too many extensions; at most \(limit) are read."
    }
  }
}
