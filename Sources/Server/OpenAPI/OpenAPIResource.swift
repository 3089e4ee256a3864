import Hummingbird
import Signaling

/// The description of the whole interface: `/openapi.yaml`, the same as `/openapi.json`, and to be read at `/docs`.
struct OpenAPIResource {
  /// The document as a value.
  /// - Throws: `YAMLReader.Failure` where it was written in more of YAML than is read here; a test reads it.
  static func document() throws(YAMLReader.Failure) -> JSONValue {
    try YAMLReader.read(String(decoding: PackageResources.openapi_yaml, as: UTF8.self))
  }

  var resources: [Resource] {
    // An empty object says to whoever reads it that something is wrong; the test above keeps that from happening.
    let json = (try? OpenAPIResource.document())?.text ?? "{}"
    return [
      EmbeddedFile(path: "/openapi.yaml", type: "application/yaml", bytes: PackageResources.openapi_yaml),
      EmbeddedFile(path: "/openapi.json", type: MediaTypeName.json, bytes: Array((json + "\n").utf8)),
      EmbeddedFile(path: "/docs", type: "text/html; charset=utf-8", bytes: PackageResources.docs_html),
      EmbeddedFile(path: "/docs.js", type: "text/javascript; charset=utf-8", bytes: PackageResources.docs_js),
      EmbeddedFile(path: "/docs.css", type: "text/css; charset=utf-8", bytes: PackageResources.docs_css),
    ].map(\.resource)
  }
}
