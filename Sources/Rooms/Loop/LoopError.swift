import Glibc

/// The kernel refused what a loop needs.
package struct LoopError: Error, CustomStringConvertible {
  package var call: String
  package var errno: Int32

  package var description: String { "\(call) failed: \(String(cString: strerror(errno)))" }
}
