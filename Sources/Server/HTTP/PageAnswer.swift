import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Signaling

/// A response with a tag that is whole in memory: most are pages of lists.
struct PageAnswer {
  let status: HTTPResponse.Status
  var headers: HTTPFields
  /// Nil if the client has it already.
  let body: ByteBuffer?

  private static let caching = "private, no-cache"

  /// A JSON body with its tag, or 304 if `request` has it already.
  init(
    _ body: ByteBuffer, tag: EntityTag, to request: Request, status: HTTPResponse.Status = .ok, headers: HTTPFields
  ) {
    if let field = request.headers[.ifNoneMatch], request.method == .get || request.method == .head,
      tag.matches(field, strongly: false)
    {
      self.init(unchanged: tag)
      return
    }
    var headers = headers
    headers[.eTag] = tag.description
    headers[.cacheControl] = PageAnswer.caching
    headers[.contentType] = MediaTypeName.json
    headers[.contentLength] = "\(body.readableBytes)"
    self.init(status: status, headers: headers, body: body)
  }

  /// A page of a list with its tag, and `Link: <…>; rel="next"` (RFC 8288) if there is another; 304 if `request` has it
  /// already.
  ///
  /// - Parameter tag: nil for a fingerprint of the page. Not of the revisions: a page also changes when an item is added
  ///   or removed.
  init(_ page: PageText, tag: EntityTag?, of request: Request) {
    let body = PageAnswer.body(of: page)
    self.init(
      body, next: page.next, tag: tag ?? EntityTag(Revision.fingerprint(of: Array(body.readableBytesView))),
      of: request)
  }

  /// The same for a page whose body is made: `body(of:)`.
  init(_ body: ByteBuffer, next: String?, tag: EntityTag, of request: Request) {
    var headers: HTTPFields = [:]
    if let next {
      var link = "<\(request.uri.path)?"
      for pair in (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&"))
      where !pair.starts(with: "cursor=".utf8) {
        link += Substring(pair)
        link += "&"
      }
      headers[.link] = link + "cursor=\(next.percentEncoded)>; rel=\"next\""
    }
    self.init(body, tag: tag, to: request, headers: headers)
  }

  static func body(of page: PageText) -> ByteBuffer {
    let next = JSONValue.optional(page.next).bytes
    var body = ByteBuffer()
    body.reserveCapacity(page.items.count + next.count + 32)
    body.writeString(#"{"items":"#)
    body.writeBytes(page.items)
    body.writeString(#","next":"#)
    body.writeBytes(next)
    body.writeString("}\n")
    return body
  }

  /// 304 if `request` has what `tag` stands for; nil if it has to be read.
  init?(ifNoneMatch tag: EntityTag?, of request: Request) {
    // A star tells nothing of the query, which may have to be refused.
    guard let tag, let field = request.headers[.ifNoneMatch], field.trimmed != "*", tag.matches(field, strongly: false)
    else { return nil }
    self.init(unchanged: tag)
  }

  private init(unchanged tag: EntityTag) {
    self.init(
      status: .notModified, headers: [.eTag: tag.description, .cacheControl: PageAnswer.caching], body: nil)
  }

  private init(status: HTTPResponse.Status, headers: HTTPFields, body: ByteBuffer?) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}
