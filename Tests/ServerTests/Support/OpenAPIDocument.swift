import Signaling

@testable import Server

/// The embedded OpenAPI document, for tests that hold the service against it.
struct OpenAPIDocument: Sendable {
  let root: JSONValue

  /// Read once: every answer of every test is held against it.
  static let shared = Result {
    let limits = JSONLimits(bytes: 1 << 20, values: 1 << 16)
    return OpenAPIDocument(
      root: try JSONValue(parsing: EmbeddedFile.named("openapi/openapi.json").bytes, limits: limits))
  }

  static let methods = ["get", "put", "post", "patch", "delete"]

  var paths: [(path: String, item: JSONObject)] {
    root.object?["paths"]?.object?.members.compactMap { member in member.value.object.map { (member.name, $0) } } ?? []
  }

  /// What a `$ref` stands for, and everything else as it is.
  func resolve(_ value: JSONValue?) -> JSONObject? {
    guard let object = value?.object else { return nil }
    guard let reference = object["$ref"]?.string else { return object }
    let steps = reference.drop { $0 != "/" }.split(separator: "/")
    return resolve(steps.reduce(Optional(root)) { at, step in at?.object?[String(step)] })
  }

  /// The item of the path template that fits `path`; a template without parameters goes first.
  func item(for path: String) -> JSONObject? {
    let steps = path.split(separator: "/")
    let fitting = paths.filter { template, _ in
      let parts = template.split(separator: "/")
      return parts.count == steps.count && zip(parts, steps).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
    return (fitting.first { !$0.path.contains("{") } ?? fitting.first)?.item
  }

  /// What is wrong with an answer, nil where it is as described.
  func objection(to method: String, _ path: String, status: Int, contentType: String?, body: [UInt8]) -> String? {
    guard let item = item(for: path), let operation = item[method.lowercased()]?.object else { return nil }
    let responses = operation["responses"]?.object
    guard let response = resolve(responses?["\(status)"] ?? (status >= 400 ? responses?["default"] : nil)) else {
      return "\(method) \(path): the status \(status) is not described"
    }
    guard let contentType, !body.isEmpty, status != 304 else { return nil }
    let type = MediaTypeName.essence(of: contentType)
    let content = response["content"]?.object
    guard let media = content?[type] ?? content?["*/*"] else {
      return "\(method) \(path): the type \(type) of \(status) is not described"
    }
    guard type.hasSuffix("json"), let schema = media.object?["schema"] else { return nil }
    guard let value = try? JSONValue(parsing: body, limits: JSONLimits(bytes: 1 << 22)) else {
      return type == MediaTypeName.json && status == 206 ? nil : "\(method) \(path): the body is no JSON"
    }
    return SchemaCheck(document: self).objection(to: value, schema, at: "").map {
      "\(method) \(path), \(status): \($0)"
    }
  }
}
