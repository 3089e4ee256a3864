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
