/// The service was to end, and not all of it did in its time: what was cut off.
struct StoppedShort: Error, CustomStringConvertible {
  var cutOff: String?

  var description: String {
    "the limit of the stop was reached (--stop-limit); cut off: \(cutOff ?? "nothing that is known")"
  }
}
