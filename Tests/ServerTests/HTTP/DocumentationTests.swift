import Foundation
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private func text() throws -> String {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return try String(contentsOf: root.appendingPathComponent("docs/rest.md"), encoding: .utf8)
  }

  /// The routes in the table of docs/rest.md.
  private func routes() throws -> [(method: String, path: String)] {
    try text().split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| `"), let end = line.dropFirst(3).firstIndex(of: "`") else { return nil }
      let parts = line[line.index(line.startIndex, offsetBy: 3)..<end].split(separator: " ")
      guard parts.count == 2, parts[1].hasPrefix("/") else { return nil }
      return (String(parts[0]), String(parts[1]))
    }
  }

  @Test func everyDocumentedRouteIsThere() async throws {
    let routes = try routes()
    #expect(routes.count > 20)
    try await TestService.with { service async throws in
      for (method, path) in routes {
        let filled = path.replacing(/\{[a-z]+\}/, with: "x")
        let answer = try await service.send(.OPTIONS, filled)
        let allowed = (answer["allow"] ?? "").split(separator: ",").map { String($0).trimmed }
        #expect(answer.status == 204 && allowed.contains(method), "\(method) \(path)")
      }
    }
  }

  @Test func everyProblemOfARoomIsDocumented() throws {
    let text = try text()
    // A method that no dialect of HTTP has is refused before it reaches a room.
    for code in RoomRefusal.Code.allCases where ![.unknownMethod, .callFailed].contains(code) {
      #expect(text.contains("`\(code.rawValue)`"), "\(code)")
    }
  }
}
