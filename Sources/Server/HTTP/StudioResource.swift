import HTTPTypes
import Hummingbird
import NIOCore

/// The web studio: three files that are embedded in the program.
struct StudioResource {
  private struct File {
    let path: String
    let type: String
    let bytes: [UInt8]
  }

  private static let files = [
    File(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
    File(path: "/studio.js", type: "text/javascript; charset=utf-8", bytes: PackageResources.studio_js),
    File(path: "/studio.css", type: "text/css; charset=utf-8", bytes: PackageResources.studio_css),
  ]

  /// Nothing but our own files runs, and nobody frames the page; players need blobs, meters need inline data images.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    + "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  var resources: [Resource] {
    StudioResource.files.map { file in
      let body = ByteBuffer(bytes: file.bytes)
      let tag = EntityTag(StudioResource.fingerprint(file.bytes))
      return Resource(file.path).on(.get) { request, _ in
        let headers: HTTPFields = [
          .contentType: file.type, .eTag: tag.description, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
          .contentSecurityPolicy: StudioResource.contentSecurityPolicy, .referrerPolicy: "no-referrer",
        ]
        if let field = request.headers[.ifNoneMatch], tag.matches(field, strongly: false) {
          return .empty(.notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
      }
    }
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
