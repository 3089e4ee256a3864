/// The client's half of Kurento Room.
package enum KurentoClient: JSONRPCClient {
  package typealias Answer = KurentoResult
  package typealias News = KurentoNotification
}

extension KurentoResult: JSONRPCAnswer {}
extension KurentoNotification: JSONRPCNews {}

extension JSONRPCCall {
  package static func room(_ request: KurentoRequest) -> JSONRPCCall {
    JSONRPCCall(method: request.method.rawValue, parameters: request.parameters)
  }
}
