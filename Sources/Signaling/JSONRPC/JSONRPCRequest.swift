/// One request of a client: a method call that expects a response.
package struct JSONRPCRequest: Hashable, Sendable {
  package var id: JSONRPCID
  package var method: String
  /// The member "params"; empty if absent.
  package var parameters: JSONObject
}
