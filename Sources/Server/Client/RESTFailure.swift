import HTTPTypes

/// A request that the service refused, in the words of its problem document.
package struct RESTFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var status: Int
  /// The end of the problem's `type`, "http" where the answer was no problem document.
  package var code: String
  package var detail: String

  init(status: Int, code: String, detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// What a request of this process would have been answered.
  init(_ problem: Problem) {
    self.init(status: problem.status.code, code: problem.code, detail: problem.detail)
  }

  package var description: String { "\(detail) (\(status) \(code))" }
}
