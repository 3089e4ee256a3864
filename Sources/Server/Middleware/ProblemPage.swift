import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// A refusal as a page for people: what happened, and the way out.
///
/// Browsers name `text/html` in `Accept` when they open an address, programs do not: those get
/// `application/problem+json` as ever.
enum ProblemPage {
  private static let template = EmbeddedFile.named("studio/base/problem.html")

  /// An address that somebody has mistyped.
  static let nothing = Problem.notFound("no page has this address; perhaps a letter is missing or one too many")

  static func isWanted(by request: Request) -> Bool {
    guard request.method == .get || request.method == .head, let accept = request.headers[.accept] else { return false }
    // A wildcard asks for no page.
    return accept.split(separator: ",").prefix(32).contains { MediaTypeName.essence(of: String($0)) == "text/html" }
  }

  static func response(_ problem: Problem) -> Response {
    var response = template.whole
    response.status = problem.status
    response.headers[.cacheControl] = "no-store"
    response.headers[.eTag] = nil
    response.headers[.vary] = "Accept"
    response.headers.append(contentsOf: problem.headers)
    let values = ["title": problem.title, "detail": sentence(problem.detail), "status": "\(problem.status.code)"]
    let text = values.reduce(String(decoding: template.bytes, as: UTF8.self)) { text, value in
      replacing("{{\(value.key)}}", in: text, by: escaped(value.value))
    }
    response.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
    return response
  }

  /// "the take is rolling" as "The take is rolling."
  private static func sentence(_ text: String) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst() + (".!?".contains(text.last ?? ".") ? "" : ".")
  }

  private static func replacing(_ mark: String, in text: String, by value: String) -> String {
    text.split(separator: mark, omittingEmptySubsequences: false).joined(separator: value)
  }

  /// Text as the content of an element.
  static func escaped(_ text: String) -> String {
    let marks: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
    // Braces could be taken for the place of another value.
    return String(text.flatMap { marks[$0] ?? ($0 == "{" ? "&#123;" : String($0)) })
  }
}
