import HTTPTypes
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct OpenAPITests {
  private func document() throws -> OpenAPIDocument { try OpenAPIDocument.shared.get() }

  @Test func describesEveryRouteAndNothingElse() async throws {
    let document = try document()
    try await TestService.with { service async throws in
      let described = Set(
        document.paths.flatMap { path, item in
          item.members.map(\.name).filter(OpenAPIDocument.methods.contains).map { "\($0.uppercased()) \(path)" }
        })
      let there = Set(
        service.resources.flatMap { resource in
          let path = resource.path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }.joined(separator: "/")
          return resource.handlers.map { "\($0.method.rawValue) \(path)" }
        })
      #expect(there.subtracting(described).sorted() == [], "routes that openapi.yaml leaves out")
      #expect(described.subtracting(there).sorted() == [], "routes that are only in openapi.yaml")
    }
  }

  @Test func namesEveryOperationOnceAndKeepsItsReferences() throws {
    let document = try document()
    var names: [String] = []
    for (path, item) in document.paths {
      let parameters = (item["parameters"]?.array ?? []).compactMap(document.resolve)
      for method in OpenAPIDocument.methods {
        guard let operation = item[method]?.object else { continue }
        names.append(operation["operationId"]?.string ?? "none at \(path)")
        let all = parameters + (operation["parameters"]?.array ?? []).compactMap(document.resolve)
        let inPath = all.filter { $0["in"] == "path" }.compactMap { $0["name"]?.string }
        let wanted = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        #expect(inPath == wanted, "\(method) \(path)")
        #expect(operation["responses"]?.object?.members.isEmpty == false && operation["summary"]?.string != nil)
      }
    }
    #expect(names.count > 30 && Set(names).count == names.count)
    var dangling: [String] = []
    func look(_ value: JSONValue) {
      if let object = value.object {
        if let reference = object["$ref"]?.string, document.resolve(value) == nil { dangling.append(reference) }
        object.members.forEach { look($0.value) }
      }
      value.array?.forEach(look)
    }
    look(document.root)
    #expect(dangling == [])
  }

  @Test func servesTheDocumentAndItsPageToThoseWithoutAKey() async throws {
    let document = try document()
    try await TestService.with({ configuration throws in
      configuration.keys = try Keys(joinSecret: nil, apiKeys: [TestService.key])
    }) { service async throws in
      let yaml = try await service.send(.GET, "/openapi.yaml")
      #expect(yaml.status == 200 && yaml["content-type"] == "application/yaml" && yaml.text.contains("openapi: 3.1.0"))
      let json = try await service.send(.GET, "/openapi.json")
      #expect(try .object(json.json) == document.root)
      let tag = try #require(json["etag"])
      #expect(try await service.send(.GET, "/openapi.json", [("If-None-Match", tag)]).status == 304)
      for path in ["/docs", "/docs.js", "/docs.css"] {
        let answer = try await service.send(.GET, path)
        #expect(answer.status == 200 && answer["content-security-policy"]?.contains("default-src 'none'") == true)
        // Nothing comes from another host.
        #expect(!answer.text.contains("http://") && !answer.text.contains("https://"))
      }
    }
  }
}
