import HTTPTypes
import Hummingbird
import NIOCore

/// A file that is part of the program, with the header fields that keep a page of ours to ourselves.
struct EmbeddedFile: Sendable {
  let path: String
  private let headers: HTTPFields
  private let tag: EntityTag
  private let body: ByteBuffer

  /// Nothing but our own files runs, and nobody frames the page; players need blobs, meters need inline data images.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    + "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  init(path: String, type: String, bytes: [UInt8]) {
    self.path = path
    body = ByteBuffer(bytes: bytes)
    tag = EntityTag(EmbeddedFile.fingerprint(bytes))
    headers = [
      .contentType: type, .eTag: tag.description, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: EmbeddedFile.contentSecurityPolicy, .referrerPolicy: "no-referrer",
    ]
  }

  var resource: Resource { Resource(path).on(.get) { request, _ in answer(to: request) } }

  func answer(to request: Request) -> Response {
    if let field = request.headers[.ifNoneMatch], tag.matches(field, strongly: false) {
      return .empty(.notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// FNV-1a in 64 bits: tells our own versions apart, which is all that a tag of an embedded file has to do.
  private static func fingerprint(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
}
