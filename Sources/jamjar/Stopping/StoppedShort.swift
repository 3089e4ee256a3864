/// The service stopped at its limit before all work was done; says what was cut off.
struct StoppedShort: Error, CustomStringConvertible {
  var cutOff: String?

  var description: String {
    "the limit of the stop was reached (--stop-limit); cut off: \(cutOff ?? "nothing that is known")"
  }
}
