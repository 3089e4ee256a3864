import NIOHTTP1
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct ProblemPageTests {
  @Test func anUnknownAddressIsAPageForBrowsersAndAProblemForPrograms() async throws {
    try await TestService.with { service async throws in
      let browser = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
      let page = try await service.send(.GET, "/nothing", [browser])
      #expect(page.status == 404 && page["content-type"] == "text/html; charset=utf-8")
      #expect(page["content-security-policy"]?.contains("default-src 'none'") == true && page["vary"] == "Accept")
      #expect(page.text.contains("<h1>This does not exist</h1>") && page.text.contains("href=\"/takes\""))
      #expect(!page.text.contains("{{"))
      for accept in ["*/*", "application/json", ""] {
        let problem = try await service.send(.GET, "/nothing", accept.isEmpty ? [] : [("Accept", accept)])
        #expect(problem.status == 404 && problem["content-type"] == "application/problem+json", "\(accept)")
      }
      #expect(try await service.send(.POST, "/nothing", [browser])["content-type"] == "application/problem+json")
      #expect(try await service.send(.HEAD, "/nothing", [browser]).bytes.isEmpty)
    }
  }

  @Test func whatSomebodyPutsIntoAnAddressIsNoMarkup() async throws {
    try await TestService.with { service async throws in
      let page = try await service.send(
        .GET, "/v1/takes?state=%3Cscript%3E%7B%7Btitle%7D%7D", [("Accept", "text/html")])
      #expect(page.status == 400 && !page.text.contains("<script>"))
      #expect(
        ProblemPage.escaped("<a href='x'>{{title}}&\"") == "&lt;a href=&#39;x&#39;&gt;&#123;&#123;title}}&amp;&quot;")
    }
  }
}
