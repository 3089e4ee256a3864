import HTTPTypes
import Hummingbird
import NIOCore
import Resources
import Signaling
import Synchronization

/// A file embedded in the program, with header fields that isolate our pages.
struct EmbeddedFile: Sendable {
  private let path: String
  private let body: ByteBuffer
  private let isForEver: Bool
  private let prepared = Prepared()

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
    "json": MediaTypeName.json, "yaml": "application/yaml",
  ]

  /// Only our own files run, and no site may frame the page; players need blobs, meters need inline data images.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    + "connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors "

  /// The one page that pages of others may frame: a player with a link's sound, which can do nothing else.
  private static let framed = "studio/share/embed.html"

  /// The microphone, a screen that stays on, sound, and the link to the room in the clipboard: the page needs no more,
  /// and neither would a script that got into it. Only names that browsers know; they complain about others.
  private static let permissionsPolicy =
    ["microphone", "screen-wake-lock", "clipboard-write", "autoplay", "fullscreen", "midi"].map { "\($0)=(self)" }
    .joined(separator: ", ") + ", "
    + [
      "accelerometer", "camera", "clipboard-read", "display-capture", "encrypted-media", "geolocation",
      "gyroscope", "hid", "idle-detection", "magnetometer", "payment", "picture-in-picture",
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

  /// - Parameter isForEver: true if other contents would have another address.
  init(_ path: String, _ bytes: [UInt8], isForEver: Bool = false) {
    (self.path, self.isForEver) = (path, isForEver)
    body = ByteBuffer(bytes: bytes)
  }

  private func prepare() -> Prepared.Facts {
    let tag = EntityTag(EmbeddedFile.fingerprint(bytes))
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    var headers: HTTPFields = [
      .contentType: EmbeddedFile.types[ending] ?? "application/octet-stream", .eTag: tag.description,
      .cacheControl: isForEver ? "public, max-age=31536000, immutable" : "no-cache", .vary: "Accept-Encoding",
      .xContentTypeOptions: "nosniff",
      // in range: texts
      .contentSecurityPolicy: EmbeddedFile.contentSecurityPolicy + (path == EmbeddedFile.framed ? "*" : "'none'"),
      .referrerPolicy: "no-referrer",
      .permissionsPolicy: EmbeddedFile.permissionsPolicy, .crossOriginOpenerPolicy: "same-origin",
      // No other origin draws or plays our files; a page that isolates itself may still frame the player.
      .crossOriginResourcePolicy: path == EmbeddedFile.framed ? "cross-origin" : "same-origin",
    ]
    // Chromium shows no other frame in a page that isolates itself (HTML, "cross-origin embedder policies").
    if path == EmbeddedFile.framed { headers[.crossOriginEmbedderPolicy] = "require-corp" }
    return Prepared.Facts(
      headers: headers, tag: tag, compressed: Gzip.compress(bytes).map { ByteBuffer(bytes: $0) })
  }

  var bytes: [UInt8] { Array(body.readableBytesView) }

  /// The whole file, whatever the client has of it already.
  var whole: Response {
    Response(status: .ok, headers: prepared.facts(prepare).headers, body: ResponseBody(byteBuffer: body))
  }

  func resource(at path: String) -> Resource { Resource(path).on(.get, .look) { request, _ in answer(to: request) } }

  func answer(to request: Request) -> Response {
    let facts = prepared.facts(prepare)
    var (headers, body, tag) = (facts.headers, body, facts.tag)
    if let compressed = facts.compressed, Gzip.isAccepted(request.headers[.acceptEncoding]) {
      // Other bytes, so another strong tag (RFC 9110 section 8.8.3.3).
      tag = EntityTag("\(tag.value)-gzip")
      body = compressed
      (headers[.eTag], headers[.contentEncoding]) = (tag.description, "gzip")
    }
    if let field = request.headers[.ifNoneMatch], tag.matches(field, strongly: false) {
      headers[.contentEncoding] = nil
      return .empty(.notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// FNV-1a, 64 bits: distinguishes our own versions, which is enough for the tag of an embedded file.
  private static func fingerprint(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
  }
}

/// What is made of a file when it is first asked for. Most are not, and somebody waits for the service to start.
private final class Prepared: Sendable {
  struct Facts: Sendable {
    var headers: HTTPFields
    var tag: EntityTag
    /// The file by gzip; nil where that saves nothing.
    var compressed: ByteBuffer?
  }

  private let made = Mutex<Facts?>(nil)

  func facts(_ make: () -> Facts) -> Facts {
    made.withLock { made in
      if let made { return made }
      let facts = make()
      made = facts
      return facts
    }
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
  static let permissionsPolicy = HTTPField.Name("Permissions-Policy") ?? .referer
  static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy") ?? .referer
  static let crossOriginEmbedderPolicy = HTTPField.Name("Cross-Origin-Embedder-Policy") ?? .referer
  static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy") ?? .referer
}

/// The web studio: pages and modules embedded in the program (Sources/Resources/studio).
///
/// One page serves all addresses of the studio; base/main.js selects the view.
struct StudioResource {
  /// The addresses of the page, with the view that each shows.
  private static let pages = [
    "/": "lobby/lobby.js", "/rooms/:room": "room/door.js", "/takes": "takes/list.js", "/takes/:take": "takes/take.js",
    "/doctor": "lobby/doctor.js",
  ]

  var resources: [Resource] {
    // The bundles are made for the first page that is asked for: a service that starts after a crash records first.
    StudioResource.pages.map { address, view in
      Resource(address).on(.get, .look) { request, _ in StudioSite.current.page(for: view).answer(to: request) }
    } + [
      // A worker serves the addresses below its own.
      EmbeddedFile.named("studio/base/offline-worker.js").resource(at: "/offline-worker.js"),
      // The version, the folder and the file: the router wants one name for what stands at the same place of two addresses.
      Resource("/studio/:folder/:file/:versioned").on(.get, .look) { request, context in
        let path = try "\(context.parameters.require("file"))/\(context.parameters.require("versioned"))"
        guard let file = try StudioSite.current.file(path, of: context.parameters.require("folder")) else {
          throw Problem.notFound("this version of the studio has no file \(path); load the page anew")
        }
        return file.answer(to: request)
      },
      Resource("/studio/:folder/:file").on(.get, .look) { request, context in
        let path = try "\(context.parameters.require("folder"))/\(context.parameters.require("file"))"
        guard let file = EmbeddedFile.all["studio/\(path)"] else {
          throw Problem.notFound("the studio has no file \(path)")
        }
        return file.answer(to: request)
      },
    ]
  }
}
