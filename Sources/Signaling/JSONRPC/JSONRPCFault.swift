/// The reason why a text is not a request, with the request's identifier if it is readable.
struct JSONRPCFault: Error, Hashable, Sendable {
  var id: JSONRPCID?
  var error: JSONRPCError

  init(_ code: Int64, _ description: String, id: JSONRPCID? = nil) {
    self.id = id
    error = JSONRPCError(code: code, description)
  }
}
