/// Reads which session a text belongs to, before any machine has it.
package enum JSONRPCSessionName {
  /// The member "sessionId" of the parameters, by which a request over HTTP finds its session; nil where it names none
  /// or cannot be read.
  package static func named(by text: String, limits: JSONLimits = .signaling) -> String? {
    guard case .request(let request)? = try? JSONRPCMessage(text, limits: limits) else { return nil }
    return request.parameters["sessionId"]?.string
  }
}
