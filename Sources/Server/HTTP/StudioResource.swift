import Hummingbird

/// The web studio: pages and modules that are embedded in the program.
///
/// One page stands for all addresses of the studio; which of its views is shown is for base/main.js to tell.
struct StudioResource {
  private static let pages = ["/", "/rooms/:room", "/takes", "/takes/:take"]

  /// Folder and name below Sources/Server/Studio, and the contents; the manifest lists them too.
  private static let contents: [(path: String, bytes: [UInt8])] = [
    ("base/studio.css", PackageResources.studio_css),
    ("base/refusal.js", PackageResources.refusal_js),
    ("base/api.js", PackageResources.api_js),
    ("base/dom.js", PackageResources.dom_js),
  ]

  private static let types = [
    "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
  ]

  var resources: [Resource] {
    let page = EmbeddedFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
    let files = Dictionary(
      StudioResource.contents.map { path, bytes in
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        let type = StudioResource.types[ending] ?? "application/octet-stream"
        return (path, EmbeddedFile(path: "/studio/\(path)", type: type, bytes: bytes))
      }, uniquingKeysWith: { first, _ in first })
    return StudioResource.pages.map { Resource($0).on(.get) { request, _ in page.answer(to: request) } } + [
      Resource("/studio/:folder/:file").on(.get) { request, context in
        let path = try "\(context.parameters.require("folder"))/\(context.parameters.require("file"))"
        guard let file = files[path] else { throw Problem.notFound("the studio has no file \(path)") }
        return file.answer(to: request)
      }
    ]
  }
}
