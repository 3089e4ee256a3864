/// One request of a client: a method that wants an answer.
package struct JSONRPCRequest: Hashable, Sendable {
  package var id: JSONRPCID
  package var method: String
  /// The member "params"; empty where it is absent.
  package var parameters: JSONObject
}
