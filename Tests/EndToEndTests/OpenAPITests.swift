import Testing

extension Programs {
  /// The OpenAPI document as others read it.
  @Suite struct OpenAPITests {
    @Test func theDocumentIsValidOpenAPIAndItsJSONSaysTheSame() async throws {
      let service = try await Service()
      let reader = try PythonPeer.start("openapi.py", [service.address])
      #expect(await reader.exitStatus() == 0, "\(reader.text)")
      #expect(reader.text.contains("valid OpenAPI 3.1.0"), "\(reader.text)")
      await service.close()
    }
  }
}
