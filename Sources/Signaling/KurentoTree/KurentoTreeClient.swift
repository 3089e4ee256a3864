import Music

/// The client's half of Kurento Tree.
package enum KurentoTreeClient: JSONRPCClient {
  package typealias Answer = KurentoTreeResult
  package typealias News = KurentoTreeNotification
}

extension KurentoTreeResult: JSONRPCAnswer {}
extension KurentoTreeNotification: JSONRPCNews {}

extension JSONRPCCall {
  package static func tree(_ command: TreeCommand, token: String? = nil) -> JSONRPCCall {
    var (method, parameters) = command.request
    if let token { parameters["token"] = .string(token) }
    return JSONRPCCall(method: method.rawValue, parameters: parameters)
  }
}

/// The server's result for one of our requests.
package enum KurentoTreeResult: Hashable, Sendable {
  /// The reply of a tree; `.created` only if the server chose the name.
  case reply(TreeReply)
  /// The word in the result of ping, connect or closeSession.
  case word(String)

  package init(_ method: String, _ result: JSONValue) throws(JSONRPCError) {
    if let word = result.string {
      self = .word(word)
      return
    }
    let fields = JSONRPCFields(result.object ?? [:], of: "the result of \(method)")
    switch KurentoTreeMethod(rawValue: method) {
    case nil: self = .word(try fields.string("value"))
    case .createTree:
      guard let text = try fields.optionalString("value") else {
        self = .reply(.done)
        return
      }
      guard let tree = RoomName(text) else { throw fields.error("value", mustBe: "a room name") }
      self = .reply(.created(tree))
    case .setTreeSource:
      self = .reply(try fields.optionalString("answerSdp").map(TreeReply.answer) ?? .done)
    case .addTreeSink:
      self = .reply(.sink(try fields.string("sinkId"), answer: try fields.string("answerSdp")))
    case .releaseTree, .removeTree, .removeTreeSource, .removeTreeSink, .addIceCandidate: self = .reply(.done)
    }
  }
}
