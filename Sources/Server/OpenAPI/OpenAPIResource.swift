import Hummingbird

/// The description of the whole interface: `/openapi.yaml`, the same as `/openapi.json` (made by script/openapi), and
/// readable pages at `/docs`.
struct OpenAPIResource {
  private static let addresses = [
    "/openapi.yaml": "openapi.yaml", "/openapi.json": "openapi.json", "/docs": "docs.html", "/docs.js": "docs.js",
    "/docs.css": "docs.css",
  ]

  var resources: [Resource] {
    OpenAPIResource.addresses.map { address, name in EmbeddedFile.named("openapi/\(name)").resource(at: address) }
  }
}
