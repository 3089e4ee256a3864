/// The client's side of one link to Kurento Room.
package typealias KurentoClient = JSONRPCDialectClient<KurentoResult, KurentoNotification>

extension KurentoResult: JSONRPCAnswer {}
extension KurentoNotification: JSONRPCNews {}

extension JSONRPCDialectClient<KurentoResult, KurentoNotification> {
  package mutating func ask(_ request: KurentoRequest) -> JSONRPCID {
    ask(request.method.rawValue, request.parameters)
  }
}
