/// How a client connects.
package struct RTMPClientOptions: Hashable, Sendable {
  /// The path on the server, with its query; nil is the root, and then `connect` says nothing at all, as the iOS library.
  package var app: String?
  package var tcURL: String?
  /// Values behind the command object.
  package var parameters: [AMFValue]
  package var flashVersion = "Jamjar"
  /// 3 makes calls go as type 17 and shared objects as type 16.
  package var objectEncoding = 0
  /// Codecs to offer by Enhanced RTMP; with none the keys are left out.
  package var codecs: [String] = []

  package init(app: String? = nil, tcURL: String? = nil, parameters: [AMFValue] = []) {
    self.app = app
    self.tcURL = tcURL
    self.parameters = parameters
  }

  /// The command object of `connect`.
  var members: [AMFMember] {
    var members: [AMFMember] = []
    if let app {
      members.append(AMFMember("app", .string(app)))
      members.append(AMFMember("flashVer", .string(flashVersion)))
    }
    if let tcURL { members.append(AMFMember("tcUrl", .string(tcURL))) }
    if !codecs.isEmpty { members.append(AMFMember("fourCcList", .array(codecs.map { .string($0) }))) }
    members.append(AMFMember("objectEncoding", .number(Double(objectEncoding))))
    return members
  }
}
