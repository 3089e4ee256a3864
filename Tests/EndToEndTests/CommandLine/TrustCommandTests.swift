import Foundation
import Signaling
import TestSupport
import Testing

extension Programs {
  /// The command line and services with certificates that the system does not trust.
  @Suite struct TrustCommandTests {
    @Test func trustsACertificateThatItsUserNames() async throws {
      let service = try await SecureService()
      let list = ["rooms", "list", "--server", service.address]

      let refused = try await CommandRun(list)
      #expect(refused.status == 69 && refused.isOneLineError, "\(refused.text)")
      #expect(refused.text.contains("is signed by itself alone") && refused.text.contains("--ca-file FILE"))

      let trusting = try await CommandRun(list + ["--ca-file", service.certificate, "--json"])
      #expect(trusting.status == 0)
      #expect(try trusting.json["items"]?.array?.isEmpty == true)
      let byEnvironment = try await CommandRun(list, environment: ["JAMJAR_CA_FILE": service.certificate])
      #expect(byEnvironment.status == 0, "\(byEnvironment.text)")

      let unchecked = try await CommandRun(list + ["--insecure-tls"])
      #expect(
        unchecked.status == 0 && unchecked.text.hasPrefix("jamjar: warning: the certificate of \(service.address)"))

      let played = try await CommandRun([
        "play", "--server", service.address, "--ca-file", service.certificate, "--seconds", "1", "--musicians", "2",
      ])
      #expect(played.status == 0 && played.text.contains("\"heard\":"), "\(played.text)")
      await service.process.terminate()
    }

    @Test func saysInOneSentenceWhatIsWrong() async throws {
      let service = try await SecureService()
      let plain = try await Service()
      let (secure, other) = (service.port, plain.port)
      let wrong: [(String, [String], Int32, String)] = [
        ("http://127.0.0.1:\(secure)", [], 69, "speaks TLS, and was asked without; write https://"),
        ("https://127.0.0.1:\(other)", [], 69, "speaks no TLS; write http://"),
        ("https://127.0.0.1:\(try Service.freePort())", [], 69, "nothing listens on this port"),
        ("https://nobody.invalid", [], 69, "the name nobody.invalid is not known (DNS)"),
        (service.address, ["--ca-file", service.key], 66, "has no certificates that can be read"),
        (service.address, ["--ca-file", "/nowhere.pem"], 66, "--ca-file: /nowhere.pem"),
      ]
      for (address, options, status, sentence) in wrong {
        for command in [["takes", "list"], ["connections"]] {
          let run = try await CommandRun(command + ["--server", address] + options)
          #expect(run.status == status && run.isOneLineError, "\(address): \(run.text)")
          #expect(run.text.contains(sentence), "\(address): \(run.text)")
        }
      }
      let events = try await CommandRun(["events", "--follow", "--server", service.address])
      #expect(events.status == 69 && events.text.contains("signed by itself"), "\(events.text)")
      await service.process.terminate()
      await plain.close()
    }

    /// Its bots go where its settings vouch for the certificate, and nowhere else.
    @Test func aServiceTrustsAnAuthorityThatItsSettingsName() async throws {
      let there = try await SecureService()
      let wish: JSONValue = ["url": .string("jamjar+https://localhost:\(there.port)/cellar"), "room": "here"]
      let trusting = try await Service(
        ["--webhook-private"], environment: ["JAMJAR_CA_FILE": there.certificate])
      let plain = try await Service(["--webhook-private"])
      for service in [trusting, plain] {
        let made = try await HTTP.send("POST", "\(service.address)/v1/bots", json: wish)
        #expect(made.status == 201)
      }
      func bot(_ service: Service) async throws -> JSONObject? {
        try await service.get("/v1/bots").object?["items"]?.array?.first?.object
      }
      try await eventually("the bot is in the room") { try await bot(trusting)?["state"] == "waiting" }
      try await eventually("the other bot says why it is not") {
        try await bot(plain)?["detail"]?.string?.contains("is signed by itself alone") == true
      }
      await trusting.close()
      await plain.close()
      await there.process.terminate()

      for file in [there.key, "/nowhere.pem"] {
        let run = try await CommandRun(["config", "check", "--ca-file", file])
        #expect(run.status != 0 && run.isOneLineError, "\(run.text)")
        #expect(run.text.contains("ca-file (--ca-file, JAMJAR_CA_FILE): \(file) has no certificates"), "\(run.text)")
      }
    }

    @Test func theLogNamesPagesThatOthersReachAndTheNextStep() async throws {
      let service = try await SecureService(host: "0.0.0.0", ["--insecure"])
      #expect(service.start.contains("page=https://"))
      #expect(!service.start.contains("https://0.0.0.0"))
      #expect(service.start.contains("jamjar invite ROOM NAME"))
      #expect(!service.start.contains("can reach the recordings"))
      await service.process.terminate()
    }

    /// A fresh checkout has a data folder with the mode of its user's umask.
    @Test func aFreshDataFolderIsClosedToOthersAndOneWithTakesIsLeft() async throws {
      func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
      }
      for (name, expected) in [("README.md", 0o750), ("a-take", 0o755)] {
        let folder = try TemporaryFolder()
        let data = folder.path + "/Recordings"
        try FileManager.default.createDirectory(
          atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try Data().write(to: URL(fileURLWithPath: data + "/" + name))
        let service = try await Service(folder: folder)
        #expect(try mode(data) == expected, "with \(name)")
        #expect(service.process.text.contains("can reach the recordings") == (name == "a-take"))
        await service.close()
      }
    }

    @Test func aTakenPortIsASentence() async throws {
      let service = try await Service()
      let folder = try TemporaryFolder()
      let second = try await CommandRun([
        "serve", "--port", "\(service.port)", "--rtmp-port", "0", "--data", folder.path, "--log-level", "error",
      ])
      #expect(second.status == 69 && second.isOneLineError, "\(second.text)")
      #expect(second.text.contains("port \(service.port) of 127.0.0.1 is taken by another program"))
      #expect(second.text.contains("--port"))
      await service.close()
    }
  }
}
