/// The number of an operation that a machine asks its shell for; the shell's answer bears it too.
package struct OperationNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The number that comes after this one.
  var next: OperationNumber { OperationNumber(number &+ 1) }
}
