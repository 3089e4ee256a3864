import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// The entity tags of editable objects: `"3-9f…"`, the revision and a fingerprint of the representation.
///
/// The fingerprint makes the tag strong, because recording and rendering also change a take. An edit compares only the
/// revision, which changes only with edits: progress of the recorder does not invalidate an edit.
enum Revision {
  static func tag(_ revision: Int, of body: [UInt8]) -> EntityTag {
    EntityTag("\(revision)-\(fingerprint(of: body))")
  }

  /// FNV-1a, 64 bits.
  static func fingerprint(of body: [UInt8]) -> String {
    let hash = body.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return String(hash, radix: 16)
  }

  /// The revision in `If-Match`; nil if the field is absent or `*`.
  /// - Throws: `Problem` 412 for tags that this service never issues.
  static func expected(_ headers: HTTPFields) throws(Problem) -> Int? {
    guard let field = headers[.ifMatch], field.trimmed != "*" else { return nil }
    guard let tag = EntityTag(parsing: field), !tag.isWeak,
      let revision = tag.value.split(separator: "-").first.flatMap({ Int($0) })
    else {
      throw Problem.preconditionFailed(
        "If-Match: \(field.prefix(64)) is not an ETag from this service; send the ETag of the response to GET, or *")
    }
    return revision
  }
}

extension Response {
  /// A response with an editable object and its tag, or 304 if `request` has it already.
  init(
    _ json: JSONValue, revision: Int, to request: Request, status: HTTPResponse.Status = .ok, location: String? = nil
  ) {
    let body = json.bytes + [0x0A]
    let headers: HTTPFields = location.map { [.location: $0] } ?? [:]
    self.init(body, tag: Revision.tag(revision, of: body), to: request, status: status, headers: headers)
  }

  /// A JSON body with its tag, or 304 if `request` has it already.
  private init(
    _ body: [UInt8], tag: EntityTag, to request: Request, status: HTTPResponse.Status, headers: HTTPFields
  ) {
    var headers = headers
    headers[.eTag] = tag.description
    headers[.cacheControl] = "private, no-cache"
    if request.method == .get || request.method == .head, let field = request.headers[.ifNoneMatch],
      tag.matches(field, strongly: false)
    {
      self = .empty(.notModified, headers: headers)
      return
    }
    headers[.contentType] = MediaTypeName.json
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A page of a list with its tag, and `Link: <…>; rel="next"` (RFC 8288) if there is another; 304 if `request` has it
  /// already.
  init(page items: [JSONValue], next: String?, of request: Request) {
    var headers: HTTPFields = [:]
    if let next {
      let others = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("cursor=") }
      let query = (others.map(String.init) + ["cursor=\(next.percentEncoded)"]).joined(separator: "&")
      headers[.link] = "<\(request.uri.path)?\(query)>; rel=\"next\""
    }
    // Not the revisions: a page also changes when an item is added or removed.
    let body = Representation.list(items, next: next).bytes + [0x0A]
    self.init(
      body, tag: EntityTag(Revision.fingerprint(of: body)), to: request, status: .ok, headers: headers)
  }
}
