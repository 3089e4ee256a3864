@testable import Signaling

/// One session's machine of Kurento Tree.
typealias KurentoTreeRig = DialectRig<KurentoTreeServer>

extension DialectRig where Speaker == KurentoTreeServer {
  init() {
    self.init(
      KurentoTreeServer(sessionID: KurentoSample.session, traits: KurentoSample.iOS, at: KurentoSample.start))
  }

  /// A request, whose identifier is the length of its parameters.
  mutating func ask(_ method: String, _ parameters: String) -> [Output] {
    say("{\"jsonrpc\":\"2.0\",\"id\":\(parameters.utf8.count),\"method\":\"\(method)\",\"params\":\(parameters)}")
  }
}

extension [KurentoTreeServer.Output] {
  /// The code of the only output, where it is an error.
  var code: Int64? {
    count == 1 ? responses.objects.first?["error"]?.object?["code"]?.integer : nil
  }
}
