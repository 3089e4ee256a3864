import HTTPTypes
import Hummingbird
import Music
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

  /// 64 bits, eight bytes at a time: not for secrets, but quick.
  static func fingerprint(of body: [UInt8]) -> String {
    let hash = body.withUnsafeBytes { bytes in
      var hash = UInt64(bytes.count)
      for start in stride(from: 0, to: bytes.count, by: 8) {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) {
          $0.copyMemory(from: .init(rebasing: bytes[start..<min(start + 8, bytes.count)]))
        }
        // The finalizer of MurmurHash3: every bit of a word reaches every bit of the hash.
        hash = (hash ^ UInt64(littleEndian: word)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
      }
      return hash
    }
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

  /// True if a PUT makes the object (`If-None-Match: *`), false if it replaces it (`If-Match`): it must not do either by
  /// accident (RFC 9110 section 13.2.2).
  /// - Parameter what: the object with its article, "a song".
  /// - Throws: `Problem` 428 without a precondition, 412 for both.
  static func makes(_ what: String, _ headers: HTTPFields) throws(Problem) -> Bool {
    let isNew = headers[.ifNoneMatch]?.trimmed == "*"
    switch (isNew, headers[.ifMatch] != nil) {
    case (true, true):
      throw Problem.preconditionFailed(
        "If-Match wants it to be there, and If-None-Match: * wants it not to be; send one of them")
    case (false, false):
      throw Problem(
        .preconditionRequired, "precondition-required", "A precondition is missing",
        "send If-None-Match: * to make \(what), or If-Match with its ETag to replace one", field: "If-Match")
    default: return isNew
    }
  }
}

extension Response {
  /// A response with an editable object and its tag, or 304 if `request` has it already.
  init(
    _ json: JSONValue, revision: Int, to request: Request, status: HTTPResponse.Status = .ok, location: String? = nil
  ) {
    let body = json.bytes + [0x0A]
    let headers: HTTPFields = location.map { [.location: $0] } ?? [:]
    self.init(
      PageAnswer(
        ByteBuffer(bytes: body), tag: Revision.tag(revision, of: body), to: request, status: status, headers: headers))
  }

  /// The page that `read` finds for `query` in a list made of the index alone; 304 if `request` has it already, and then
  /// nothing is read.
  static func page<Query: Hashable>(
    of query: Query, in index: any TakeIndex, to request: Request, _ read: (Query) async throws -> PageText
  ) async throws -> Response {
    let tag = EntityTag(of: query, in: index)
    if let unchanged = PageAnswer(ifNoneMatch: tag, of: request) { return Response(unchanged) }
    return Response(PageAnswer(try await read(query), tag: tag, of: request))
  }

  /// A page of a list that is not made of the index alone.
  init(_ page: PageText, of request: Request) { self.init(PageAnswer(page, tag: nil, of: request)) }

  private init(_ answer: PageAnswer) {
    guard let body = answer.body else {
      self = .empty(answer.status, headers: answer.headers)
      return
    }
    self.init(status: answer.status, headers: answer.headers, body: ResponseBody(byteBuffer: body))
  }
}

extension PageText {
  /// A page as the text of what `item` makes of each.
  init<Item>(_ page: Page<Item>, _ item: (Item) -> JSONValue) {
    self.init(items: JSONValue.array(page.items.map(item)).bytes, next: page.next)
  }
}
