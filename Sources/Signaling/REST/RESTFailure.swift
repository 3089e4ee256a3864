/// A request that the service refused, in the words of its problem document.
package struct RESTFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var status: Int
  /// The end of the problem's `type`, "http" where the answer was no problem document.
  package var code: String
  package var detail: String

  package init(status: Int, code: String, detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  package var description: String { "\(detail) (\(status) \(code))" }
}
