import COpus

/// What libopus said no to.
package struct OpusFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error code of libopus, negative.
  package var code: Int32
  /// What was being done.
  package var operation: String

  package var description: String {
    let reason = opus_strerror(code).map { String(cString: $0) } ?? "unknown"
    return "libopus could not \(operation): \(reason) (\(code))"
  }
}
