import Music

extension TreeCommand {
  /// Error 1: a parameter is missing, or there is no such method.
  static let incomplete: Int64 = 1
  private static let codes = JSONRPCFields.Codes(missing: incomplete, illTyped: TreeRefusal.Code.tree.rawValue)

  /// Reads a request's parameters, including the token; unknown ones are ignored.
  /// - Throws: 1 for a missing parameter, 2 for an unusable one; the sentence names it.
  package static func read(
    _ method: KurentoTreeMethod, _ parameters: JSONObject
  ) throws(JSONRPCError) -> (command: TreeCommand, token: String?) {
    let fields = JSONRPCFields(parameters, of: "the parameters of \(method.rawValue)", codes: codes)
    return (try command(method, fields), try fields.optionalString("token"))
  }

  private static func command(_ method: KurentoTreeMethod, _ fields: JSONRPCFields) throws(JSONRPCError) -> TreeCommand
  {
    switch method {
    case .createTree: return .create(fields.value("treeId") == nil ? nil : try tree(fields))
    case .releaseTree, .removeTree: return .release(try tree(fields))
    case .setTreeSource: return .setSource(try tree(fields), try source(fields))
    case .removeTreeSource: return .removeSource(try tree(fields))
    case .addTreeSink: return .addSink(try tree(fields), offer: try offer(fields))
    case .removeTreeSink: return .removeSink(try tree(fields), try fields.string("sinkId"))
    case .addIceCandidate:
      return .candidate(
        try tree(fields), sink: try fields.optionalString("sinkId"),
        try fields.candidate(tooLong: TreeRefusal.Code.tree.rawValue))
    }
  }

  private static func tree(_ fields: JSONRPCFields) throws(JSONRPCError) -> RoomName {
    let text = try fields.string("treeId")
    do {
      return try RoomName(checking: text)
    } catch {
      throw JSONRPCError(
        code: TreeRefusal.Code.tree.rawValue, "\"treeId\" names no tree, which is a room here: \(error)")
    }
  }

  private static func offer(_ fields: JSONRPCFields) throws(JSONRPCError) -> String {
    try fields.description("offerSdp", tooLong: TreeRefusal.Code.tree.rawValue)
  }

  /// "offerSdp", or as an extension "source": "mix" or a musician's name.
  private static func source(_ fields: JSONRPCFields) throws(JSONRPCError) -> TreeSource {
    guard let source = try fields.optionalString("source") else { return .offer(try offer(fields)) }
    guard fields.value("offerSdp") == nil else {
      throw JSONRPCError(
        code: TreeRefusal.Code.tree.rawValue, "\(fields.place) have both \"source\" and \"offerSdp\"; one is right")
    }
    if source == AudioSource.mixName { return .mix }
    do {
      return .musician(try DisplayName(checking: source))
    } catch {
      throw JSONRPCError(
        code: TreeRefusal.Code.tree.rawValue, "\"source\" must be \"mix\" or a musician's name: \(error)")
    }
  }
}

/// The requests of Kurento Tree that run one after another.
package enum KurentoTreeMethod: String, Hashable, Sendable, CaseIterable {
  case createTree, releaseTree
  /// Android's name for releaseTree.
  case removeTree
  case setTreeSource, removeTreeSource, addTreeSink, removeTreeSink, addIceCandidate
}

extension TreeCommand {
  /// The request for this command.
  package var request: (method: KurentoTreeMethod, parameters: JSONObject) {
    switch self {
    case .create(let tree): (.createTree, tree.map { ["treeId": .string($0.description)] } ?? [:])
    case .release(let tree): (.releaseTree, TreeCommand.parameters(tree))
    case .setSource(let tree, .offer(let offer)):
      (.setTreeSource, TreeCommand.parameters(tree, ["offerSdp": .string(offer)]))
    case .setSource(let tree, .musician(let name)):
      (.setTreeSource, TreeCommand.parameters(tree, ["source": .string(name.description)]))
    case .setSource(let tree, .mix):
      (.setTreeSource, TreeCommand.parameters(tree, ["source": .string(AudioSource.mixName)]))
    case .removeSource(let tree): (.removeTreeSource, TreeCommand.parameters(tree))
    case .addSink(let tree, let offer): (.addTreeSink, TreeCommand.parameters(tree, ["offerSdp": .string(offer)]))
    case .removeSink(let tree, let sink): (.removeTreeSink, TreeCommand.parameters(tree, sink: sink))
    case .candidate(let tree, let sink, let candidate):
      (.addIceCandidate, TreeCommand.parameters(tree, sink: sink, candidate.rpcMembers))
    }
  }

  /// "treeId", "sinkId" if there is one, and more.
  static func parameters(_ tree: RoomName, sink: String? = nil, _ more: JSONObject = [:]) -> JSONObject {
    var parameters: JSONObject = ["treeId": .string(tree.description)]
    if let sink { parameters["sinkId"] = .string(sink) }
    for member in more.members { parameters[member.name] = member.value }
    return parameters
  }
}
