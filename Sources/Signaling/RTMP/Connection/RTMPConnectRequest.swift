/// What a client says as it connects.
package struct RTMPConnectRequest: Hashable, Sendable {
  /// Members of `connect` that only clients of Enhanced RTMP send.
  private static let enhancedKeys = ["fourCcList", "videoFourCcInfoMap", "audioFourCcInfoMap", "capsEx"]

  /// The path of `app`.
  package let scope: RTMPScope
  /// The query of `app`, or else of `tcUrl`; the iOS library sends none.
  package let query: RTMPQuery?
  /// The values behind the command object: the arguments of the application's connect hook.
  package let parameters: [AMFValue]
  package let tcURL: String?
  /// The client's name for itself.
  package let flashVersion: String?
  /// 0 for AMF0, 3 for AMF3.
  package let objectEncoding: Int
  /// The codecs that the client offers or wants, of Enhanced RTMP.
  package let codecs: [String]
  /// Enhanced RTMP's abilities: bit 1 reconnection, 2 multitrack, 4 modifiers, 8 nanosecond offsets.
  package let abilities: Int
  /// Whether it offered any key of Enhanced RTMP.
  package let isEnhanced: Bool
  /// All members of the command object.
  package let members: [AMFMember]

  /// Nil where `app` is no scope.
  init?(_ command: RTMPCommand) {
    let app = command.object["app"]?.string
    guard let scope = RTMPScope(app: app) else { return nil }
    self.scope = scope
    tcURL = command.object["tcUrl"]?.string
    query = RTMPQuery(of: app) ?? RTMPQuery(of: tcURL)
    parameters = command.arguments
    flashVersion = command.object["flashVer"]?.string
    objectEncoding = command.object["objectEncoding"]?.number == 3 ? 3 : 0
    members = command.object.members ?? []
    isEnhanced = members.contains { RTMPConnectRequest.enhancedKeys.contains($0.name) }
    abilities = command.object["capsEx"]?.number.flatMap { Int(exactly: $0) } ?? 0
    let listed = command.object["fourCcList"]?.elements?.compactMap(\.string) ?? []
    let mapped = (command.object["audioFourCcInfoMap"]?.members ?? []).map(\.name)
    codecs = listed + mapped.filter { !listed.contains($0) }
  }
}
