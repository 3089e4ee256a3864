import Signaling
import Testing

extension Programs {
  /// `jamjar invite`, against a running service.
  @Suite(.serialized) struct InviteCommandTests {
    private static let key = "a-key-of-more-than-sixteen"
    private static let secret = "a secret of at least thirty-two bytes for this test"

    private func withService(
      _ options: [String] = [], _ environment: [String: String], _ body: (Service, [String]) async throws -> Void
    ) async throws {
      let service = try await Service(options, environment: environment)
      do {
        try await body(service, ["--server", service.address, "--token", InviteCommandTests.key])
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }

    @Test func itPrintsALinkForEveryNameAndKeepsTheList() async throws {
      let keys = ["JAMJAR_API_KEYS": InviteCommandTests.key, "JAMJAR_JOIN_SECRET": InviteCommandTests.secret]
      try await withService(["--public-url", "https://band.example/"], keys) { service, remote in
        let made = try await CommandRun(["invite", "Blue Room", "ada", "Bob", "--days", "3"] + remote)
        let links = made.text.split(separator: "\n").filter { $0.hasPrefix("https://") }
        #expect(made.status == 0 && links.count == 2, "\(made.text)")
        #expect(links.allSatisfy { $0.hasPrefix("https://band.example/?room=Blue%20Room#token=") })
        // No terminal, no code.
        #expect(!made.text.contains("█"))

        let listed = try await CommandRun(["invite", "list", "Blue Room"] + remote)
        let lines = listed.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("  ada  musician  until "))
        let id = String(lines[0].prefix { $0 != " " })
        let shown = try await CommandRun(["invite", "show", "Blue Room", id] + remote)
        #expect(shown.text.contains(links[0]), "\(shown.text)")

        let withdrawn = try await CommandRun(["invite", "withdraw", "Blue Room", id] + remote)
        #expect(withdrawn.status == 0 && withdrawn.text.contains("is withdrawn"))
        let gone = try await CommandRun(["invite", "show", "Blue Room", id] + remote)
        #expect(gone.status != 0 && gone.isOneLineError && gone.text.contains("no valid invitation"), "\(gone.text)")
        let left = try await CommandRun(["invite", "list", "Blue Room", "--json"] + remote)
        #expect(try left.json["items"]?.array?.count == 1)

        for (words, reason) in [
          (["invite", ".x", "ada"], "begins with a dot"),
          (["invite", "den", "ada", "--days", "0"], "permitted: 1 to 366"),
          (["invite", "den", "--role", "boss"], "permitted: listener"), (["invite", "den", "ada", "ADA"], "twice"),
        ] {
          let refused = try await CommandRun(words + remote)
          #expect(refused.status != 0 && refused.isOneLineError && refused.text.contains(reason), "\(refused.text)")
        }
      }
    }

    @Test func aTerminalGetsACodeUnderTheLink() async throws {
      try await withService([], [:]) { service, _ in
        let words = "\(try Service.executable()) invite den ada --server \(service.address)"
        let child = try ChildProcess("script", ["-qec", "stty cols 100; \(words)", "/dev/null"])
        #expect(await child.exitStatus() == 0)
        let text = await child.wholeText()
        #expect(text.contains("\(service.address)/?room=den&name=ada"), "\(text)")
        #expect(text.contains("▀") && text.contains("▄") && text.contains("The service has no keys"), "\(text)")
        // A name that makes the code wider than the narrowest screen.
        let name = String(repeating: "Theophilus-", count: 5)
        let long = words.replacing("den ada", with: "den \(name)")
        let narrow = try ChildProcess("script", ["-qec", "stty cols 40; COLUMNS=40 \(long)", "/dev/null"])
        #expect(await narrow.exitStatus() == 0)
        let plain = await narrow.wholeText()
        #expect(plain.contains("too narrow") && !plain.contains("▄"), "\(plain)")
      }
    }

    @Test func withoutAJoinSecretItSaysWhatToSet() async throws {
      try await withService([], ["JAMJAR_API_KEYS": InviteCommandTests.key]) { _, remote in
        let refused = try await CommandRun(["invite", "den", "ada"] + remote)
        #expect(refused.status != 0 && refused.isOneLineError && refused.text.contains("JAMJAR_JOIN_SECRET"))
      }
    }
  }
}
