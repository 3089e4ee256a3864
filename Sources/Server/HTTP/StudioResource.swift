import Hummingbird

/// The web studio: three files that are embedded in the program.
struct StudioResource {
  var resources: [Resource] {
    [
      EmbeddedFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
      EmbeddedFile(path: "/studio.js", type: "text/javascript; charset=utf-8", bytes: PackageResources.studio_js),
      EmbeddedFile(path: "/studio.css", type: "text/css; charset=utf-8", bytes: PackageResources.studio_css),
    ].map(\.resource)
  }
}
