/// The identifier of a JSON-RPC request: a 64-bit integer; 0 is as good as any other.
///
/// A string of decimal digits is taken as the number that it spells and echoed as that number, as Kurento does.
package struct JSONRPCID: Hashable, Sendable, CustomStringConvertible {
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  /// Reads the member "id" of a message; nil for what is no number.
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
