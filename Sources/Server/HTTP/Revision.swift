import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// The entity tags of things that people edit: `"3-9f…"`, the revision and a fingerprint of what is shown.
///
/// The fingerprint makes the tag strong, because a take also changes while it is recorded and rendered. An edit compares
/// the revision alone, which changes with edits only: what the recorder does meanwhile spoils nobody's edit.
enum Revision {
  static func tag(_ revision: Int, of body: [UInt8]) -> EntityTag {
    let hash = body.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return EntityTag("\(revision)-\(String(hash, radix: 16))")
  }

  /// The revision that `If-Match` names; nil where there is no such field, or it is `*`.
  /// - Throws: `Problem` 412 for tags that this service does not give.
  static func expected(_ headers: HTTPFields) throws(Problem) -> Int? {
    guard let field = headers[.ifMatch], field.trimmed != "*" else { return nil }
    guard let tag = EntityTag(parsing: field), !tag.isWeak,
      let revision = tag.value.split(separator: "-").first.flatMap({ Int($0) })
    else {
      throw Problem.preconditionFailed(
        "If-Match: \(field.prefix(64)) is none of the tags that GET gives; send the ETag of its answer, or *")
    }
    return revision
  }
}

extension Response {
  /// An answer with a thing that people edit: its tag, and 304 where `request` has it already.
  init(
    _ json: JSONValue, revision: Int, to request: Request, status: HTTPResponse.Status = .ok, location: String? = nil
  ) {
    let body = json.bytes + [0x0A]
    let tag = Revision.tag(revision, of: body)
    var headers: HTTPFields = [.eTag: tag.description, .cacheControl: "private, no-cache"]
    if let location { headers[.location] = location }
    if request.method == .get || request.method == .head, let field = request.headers[.ifNoneMatch],
      tag.matches(field, strongly: false)
    {
      self = .empty(.notModified, headers: headers)
      return
    }
    headers[.contentType] = MediaTypeName.json
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A page of a list, with `Link: <…>; rel="next"` (RFC 8288) where there is another.
  init(page items: [JSONValue], next: String?, of request: Request) {
    var headers: HTTPFields = [:]
    if let next {
      let others = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("cursor=") }
      let query = (others.map(String.init) + ["cursor=\(next.percentEncoded)"]).joined(separator: "&")
      headers[.link] = "<\(request.uri.path)?\(query)>; rel=\"next\""
    }
    self.init(json: Representation.list(items, next: next), headers: headers)
  }
}
