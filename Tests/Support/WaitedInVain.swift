/// What `eventually` says where it did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
  var what: String
  var patience: Duration
  var detail: String

  package var description: String { "waited \(patience) in vain: \(what)\n\(detail)" }
}
