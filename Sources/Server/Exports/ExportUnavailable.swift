/// A kind of export not available in this release.
struct ExportUnavailable: Error, CustomStringConvertible {
  var what: String
  var description: String { "this service makes no \(what)" }
}
