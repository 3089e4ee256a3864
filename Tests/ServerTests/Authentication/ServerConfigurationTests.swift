import Testing

@testable import Server

@Suite struct ServerConfigurationTests {
  @Test func startsWithoutKeysOnLoopbackOnly() throws {
    for host in ["127.0.0.1", "::1", "localhost"] {
      try ServerConfiguration(host: host, recordings: "x").check()
    }
    for host in ["0.0.0.0", "::", "192.168.7.7", "studio.example"] {
      #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(host: host, recordings: "x").check() }
    }
  }

  @Test func saysWhatToDo() throws {
    let problem = try #require(
      #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(host: "0.0.0.0", recordings: "x").check() })
    for word in ["keys", "127.0.0.1", "--insecure"] { #expect(problem.description.contains(word)) }
  }

  @Test func startsAnywhereWithKeysOrWhenToldTo() throws {
    let keys = try Keys(joinSecret: nil, apiKeys: [TestService.key])
    try ServerConfiguration(host: "0.0.0.0", keys: keys, recordings: "x").check()
    try ServerConfiguration(host: "0.0.0.0", insecure: true, recordings: "x").check()
  }

  @Test func refusesPortsThatDoNotExist() {
    #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(port: 65_536, recordings: "x").check() }
    #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(port: -1, recordings: "x").check() }
  }
}
