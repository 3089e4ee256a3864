/// Why a text is no request, and which request it was where that could be told.
struct JSONRPCFault: Error, Hashable, Sendable {
  var id: JSONRPCID?
  var error: JSONRPCError

  init(_ code: Int64, _ description: String, id: JSONRPCID? = nil) {
    self.id = id
    error = JSONRPCError(code: code, description)
  }
}
