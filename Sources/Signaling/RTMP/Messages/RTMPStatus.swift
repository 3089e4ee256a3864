/// An information object: the last argument of `onStatus`, `_error` and the answer to `connect`.
package struct RTMPStatus: Hashable, Sendable {
  /// Codes used by this server and its clients.
  package enum Code {
    package static let connectSuccess = "NetConnection.Connect.Success"
    package static let connectRejected = "NetConnection.Connect.Rejected"
    package static let connectInvalidApp = "NetConnection.Connect.InvalidApp"
    package static let connectAppShutdown = "NetConnection.Connect.AppShutdown"
    package static let connectFailed = "NetConnection.Connect.Failed"
    package static let connectClosed = "NetConnection.Connect.Closed"
    package static let callFailed = "NetConnection.Call.Failed"
    package static let callProhibited = "NetConnection.Call.Prohibited"
    package static let publishStart = "NetStream.Publish.Start"
    package static let publishBadName = "NetStream.Publish.BadName"
    package static let unpublishSuccess = "NetStream.Unpublish.Success"
    package static let playReset = "NetStream.Play.Reset"
    package static let playStart = "NetStream.Play.Start"
    package static let playStreamNotFound = "NetStream.Play.StreamNotFound"
    package static let playFailed = "NetStream.Play.Failed"
    package static let playUnpublishNotify = "NetStream.Play.UnpublishNotify"
    package static let pauseNotify = "NetStream.Pause.Notify"
    package static let unpauseNotify = "NetStream.Unpause.Notify"
    package static let seekNotify = "NetStream.Seek.Notify"
  }

  /// "status" or "error"; Flash also knows "warning".
  package var level: String
  package var code: String
  package var description: String
  /// Additional members, in order.
  package var more: [AMFMember]

  package init(_ code: String, _ description: String, level: String = "status", more: [AMFMember] = []) {
    self.level = level
    self.code = code
    self.description = description
    self.more = more
  }

  package static func error(_ code: String, _ description: String, more: [AMFMember] = []) -> RTMPStatus {
    RTMPStatus(code, description, level: "error", more: more)
  }

  package var value: AMFValue {
    .object(
      [
        AMFMember("level", .string(level)), AMFMember("code", .string(code)),
        AMFMember("description", .string(description)),
      ] + more)
  }

  /// Nil for a value without a code.
  package init?(_ value: AMFValue?) {
    guard let value, let code = value["code"]?.string else { return nil }
    self.code = code
    level = value["level"]?.string ?? "status"
    description = value["description"]?.string ?? ""
    more = (value.members ?? []).filter { !["level", "code", "description"].contains($0.name) }
  }
}
