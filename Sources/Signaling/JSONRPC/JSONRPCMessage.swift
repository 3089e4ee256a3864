/// One parsed text of a client (JSON-RPC 2.0 section 4, as lenient as Kurento: "jsonrpc" is not checked).
enum JSONRPCMessage: Hashable, Sendable {
  case request(JSONRPCRequest)
  /// A notification of the client or an unrequested response: gets no reply.
  case ignored

  /// Reads a text.
  /// - Throws: the error to send, with the request's identifier wherever that can be read: a client waits for nothing
  ///   else.
  init(_ text: String, limits: JSONLimits) throws(JSONRPCFault) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: text, limits: limits)
    } catch {
      throw JSONRPCFault(
        JSONRPCError.parseError, "the message is no JSON that is taken here: \(error)",
        id: error.mayBeJSON ? JSONRPCID(scanning: text) : nil)
    }
    guard let object = value.object else {
      let batch = value.array == nil ? "" : "; batches are not taken"
      throw JSONRPCFault(
        JSONRPCError.invalidRequest,
        "a message must be an object {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"…\",\"params\":{…}}, "
          + "not \(value.kind)\(batch)")
    }
    guard let method = object["method"] else {
      guard object["result"] != nil || object["error"] != nil else {
        throw JSONRPCFault(
          JSONRPCError.invalidRequest, "\"method\" of the request is missing; it must be a string",
          id: object["id"].flatMap(JSONRPCID.init))
      }
      self = .ignored
      return
    }
    guard let name = method.string else {
      throw JSONRPCFault(
        JSONRPCError.invalidRequest, "\"method\" of the request is \(method.kind); it must be a string",
        id: object["id"].flatMap(JSONRPCID.init))
    }
    guard let given = object["id"], given != .null else {
      self = .ignored
      return
    }
    guard let id = JSONRPCID(given) else {
      throw JSONRPCFault(
        JSONRPCError.invalidRequest, "\"id\" of the request is \(given.kind); it must be a whole number of 64 bits")
    }
    let parameters = object["params"] ?? .null
    guard let parameters = parameters == .null ? JSONObject() : parameters.object else {
      throw JSONRPCFault(
        JSONRPCError.invalidParameters,
        "\"params\" of \(name.prefix(64)) is \(parameters.kind); it must be an object", id: id)
    }
    self = .request(JSONRPCRequest(id: id, method: name, parameters: parameters))
  }
}

/// One request of a client: a method call that expects a response.
package struct JSONRPCRequest: Hashable, Sendable {
  package var id: JSONRPCID
  package var method: String
  /// The member "params"; empty if absent.
  package var parameters: JSONObject
}

/// The identifier of a JSON-RPC request: a 64-bit integer; 0 is valid too.
///
/// A string of decimal digits is read as a number and echoed as a number, as in Kurento.
package struct JSONRPCID: Hashable, Sendable, CustomStringConvertible {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  /// Reads the member "id" of a message; nil if it is not a number.
  init?(_ value: JSONValue) {
    switch value {
    case .string(let text):
      guard let number = Int64(text) else { return nil }
      self.init(number)
    default:
      guard let number = value.integer else { return nil }
      self.init(number)
    }
  }

  package var description: String { String(number) }

  var json: JSONValue { .integer(number) }
}

/// The reason why a text is not a request, with the request's identifier if it is readable.
struct JSONRPCFault: Error, Hashable, Sendable {
  var id: JSONRPCID?
  var error: JSONRPCError

  init(_ code: Int64, _ description: String, id: JSONRPCID? = nil) {
    self.id = id
    error = JSONRPCError(code: code, description)
  }
}
