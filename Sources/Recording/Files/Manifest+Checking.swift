import Music

extension Manifest {
  /// Whether its numbers can be, as `Sidecar.check()`.
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  func check() throws(ValueProblem) {
    try take.checkNumbers()
    for track in tracks { try track.checkNumbers() }
    for file in files { try file.check() }
    try refinement?.check()
  }
}

extension Manifest.File {
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  func check() throws(ValueProblem) {
    guard NumberRule.bytes.contains(size) else {
      throw ValueProblem("size of \(name)", "\(size) bytes", "0 to 2^60")
    }
  }
}
