import HTTPTypes
import Hummingbird
import NIOCore
import Resources
import Signaling

/// A file embedded in the program, with header fields that isolate our pages.
struct EmbeddedFile: Sendable {
  private let headers: HTTPFields
  private let tag: EntityTag
  private let body: ByteBuffer

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "json": MediaTypeName.json, "yaml": "application/yaml",
  ]

  /// Only our own files run, and no site may frame the page; players need blobs, meters need inline data images.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    + "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The microphone, a screen that stays on, sound, and the link to the room in the clipboard: the page needs no more,
  /// and neither would a script that got into it. Only names that browsers know; they complain about others.
  private static let permissionsPolicy =
    ["microphone", "screen-wake-lock", "clipboard-write", "autoplay"].map { "\($0)=(self)" }.joined(separator: ", ")
    + ", "
    + [
      "accelerometer", "camera", "clipboard-read", "display-capture", "encrypted-media", "fullscreen", "geolocation",
      "gyroscope", "hid", "idle-detection", "magnetometer", "midi", "payment", "picture-in-picture",
      "publickey-credentials-get", "serial", "sync-xhr", "usb", "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")

  /// All files by path below Sources/Resources: "studio/room/room.js".
  static let all: [String: EmbeddedFile] = {
    var count = 0
    let table = UnsafeBufferPointer(start: resources(&count), count: count)
    return Dictionary(
      table.map { file in
        let path = String(cString: file.path)
        return (path, EmbeddedFile(path, Array(UnsafeBufferPointer(start: file.bytes, count: file.count))))
      }, uniquingKeysWith: { first, _ in first })
  }()

  /// The file at `path`, empty if resources.c does not list it; a test requests every file in use.
  static func named(_ path: String) -> EmbeddedFile { all[path] ?? EmbeddedFile(path, []) }

  private init(_ path: String, _ bytes: [UInt8]) {
    body = ByteBuffer(bytes: bytes)
    tag = EntityTag(EmbeddedFile.fingerprint(bytes))
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    headers = [
      .contentType: EmbeddedFile.types[ending] ?? "application/octet-stream", .eTag: tag.description,
      .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: EmbeddedFile.contentSecurityPolicy, .referrerPolicy: "no-referrer",
      .permissionsPolicy: EmbeddedFile.permissionsPolicy, .crossOriginOpenerPolicy: "same-origin",
    ]
  }

  var bytes: [UInt8] { Array(body.readableBytesView) }

  func resource(at path: String) -> Resource { Resource(path).on(.get, .look) { request, _ in answer(to: request) } }

  func answer(to request: Request) -> Response {
    if let field = request.headers[.ifNoneMatch], tag.matches(field, strongly: false) {
      return .empty(.notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// FNV-1a, 64 bits: distinguishes our own versions, which is enough for the tag of an embedded file.
  private static func fingerprint(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
  static let permissionsPolicy = HTTPField.Name("Permissions-Policy") ?? .referer
  static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy") ?? .referer
}

/// The web studio: pages and modules embedded in the program (Sources/Resources/studio).
///
/// One page serves all addresses of the studio; base/main.js selects the view.
struct StudioResource {
  private static let pages = ["/", "/rooms/:room", "/takes", "/takes/:take"]

  var resources: [Resource] {
    let page = EmbeddedFile.named("studio/index.html")
    return StudioResource.pages.map { page.resource(at: $0) } + [
      Resource("/studio/:folder/:file").on(.get, .look) { request, context in
        let path = try "\(context.parameters.require("folder"))/\(context.parameters.require("file"))"
        guard let file = EmbeddedFile.all["studio/\(path)"] else {
          throw Problem.notFound("the studio has no file \(path)")
        }
        return file.answer(to: request)
      }
    ]
  }
}
