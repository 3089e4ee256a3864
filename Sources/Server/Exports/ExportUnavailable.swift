/// Something that this release does not make.
struct ExportUnavailable: Error, CustomStringConvertible {
  var what: String
  var description: String { "this service makes no \(what)" }
}
