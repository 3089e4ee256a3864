/// Reads the session of a text before a machine handles it.
package enum JSONRPCSessionName {
  /// The member "sessionId" of the parameters, which identifies the session of a request over HTTP; nil if it is absent
  /// or unreadable.
  package static func named(by text: String, limits: JSONLimits = .signaling) -> String? {
    guard case .request(let request)? = try? JSONRPCMessage(text, limits: limits) else { return nil }
    return request.parameters["sessionId"]?.string
  }
}
