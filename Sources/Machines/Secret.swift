/// A value that must not reach a log, a metric or an error: whoever wants it has to ask by name.
///
/// Printing, interpolating, dumping and reflecting show "<redacted>".
package struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// The value itself; the name stands out where it is read.
  package func reveal() -> Value { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private static var mask: String { "<redacted>" }

  package var description: String { Secret.mask }
  package var debugDescription: String { Secret.mask }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
