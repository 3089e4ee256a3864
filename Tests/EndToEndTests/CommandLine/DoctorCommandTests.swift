import Foundation
import Signaling
import TestSupport
import Testing

extension Programs {
  /// The doctor beside real services, a real TURN server, and without any.
  @Suite struct DoctorCommandTests {
    /// A run with findings by what was looked at. The time server is one that nobody answers for.
    private struct Visit {
      var status: Int32
      var isWell: Bool
      private var findings: [JSONObject]

      init(_ options: [String], environment: [String: String] = [:]) async throws {
        let run = try await CommandRun(
          ["doctor", "--json", "--ntp", "127.0.0.1:9"] + options, environment: environment)
        status = run.status
        isWell = try run.json["ok"]?.bool == true
        findings = try run.json["findings"]?.array?.compactMap(\.object) ?? []
        for finding in findings where finding["level"] != "ok" {
          #expect(finding["remedy"]?.string?.isEmpty == false, "\(finding)")
        }
      }

      func levels(_ check: String) -> [String] {
        findings.filter { $0["check"]?.string == check }.compactMap { $0["level"]?.string }
      }

      func text(_ check: String) -> String {
        findings.filter { $0["check"]?.string == check }
          .map { ($0["sentence"]?.string ?? "") + " " + ($0["remedy"]?.string ?? "") }.joined(separator: "\n")
      }
    }

    @Test func looksAtAServiceThatDoesNotRunYet() async throws {
      let folder = try TemporaryFolder()
      let port = try Service.freePort()
      let options = ["--port", "\(port)", "--rtmp-port", "0", "--data", folder.path + "/not/yet"]
      let visit = try await Visit(options)
      #expect(visit.isWell && visit.status == 0)
      #expect(visit.levels("port") == ["ok"] && visit.levels("loopback").count == 1)
      #expect(visit.levels("clock") == ["unknown"] && visit.text("clock").contains("cannot be told"))
      #expect(visit.levels("address") == ["unknown"])
      #expect(visit.levels("disk").allSatisfy { $0 != "failure" } && visit.levels("disk").count == 2)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "the doctor changes nothing")
      let words = try await CommandRun(["doctor", "--ntp", "127.0.0.1:9"] + options)
      #expect(words.status == 0 && words.text.contains("\n         -> ") && words.text.hasSuffix("told."))
    }

    @Test func knowsTheServiceAndItsCertificate() async throws {
      let service = try await SecureService()
      let options = [
        "--port", "\(service.port)", "--rtmp-port", "0", "--data", service.folder.path + "/Recordings",
        "--tls-certificate", service.certificate, "--tls-key", service.key,
      ]
      let visit = try await Visit([service.address] + options)
      #expect(visit.text("port").contains("A service answers on port \(service.port)"))
      #expect(visit.levels("reach") == ["ok"])
      #expect(visit.levels("certificate") == ["warning"], "\(visit.text("certificate"))")
      #expect(visit.text("certificate").contains("is signed by itself alone"))
      let trusting = try await Visit([service.address, "--ca-file", service.certificate] + options)
      #expect(trusting.levels("certificate") == ["ok"] && trusting.isWell, "\(trusting.text("certificate"))")

      let foreign = try await Visit(["https://127.0.0.2:\(service.port)"] + options)
      #expect(foreign.status == 1 && !foreign.isWell)
      #expect(foreign.text("certificate").contains("is for localhost, 127.0.0.1 and not for 127.0.0.2"))
      #expect(foreign.levels("reach") == ["warning"], "it listens on 127.0.0.1 alone: \(foreign.text("reach"))")

      let nobody = try await Visit(["https://nobody.invalid:\(service.port)"] + options)
      #expect(nobody.levels("name") == ["failure"] && nobody.text("name").contains("not known (DNS)"))
      await service.process.terminate()
    }

    @Test func looksAtTheRunningServiceOverREST() async throws {
      let key = "a-key-of-more-than-sixteen"
      // Nobody has port 9; without its secret the service would refuse a TURN server.
      let service = try await Service(
        ["--turn", "127.0.0.1:9", "--rtmp-port", "0"],
        environment: [
          "JAMJAR_API_KEYS": key, "JAMJAR_TURN_SECRET": "a secret that coturn shares", "JAMJAR_NTP": "127.0.0.1:9",
          "JAMJAR_PUBLIC_URL": "http://127.0.0.1:9",
        ])
      let answer = try await HTTP.send(
        "GET", "\(service.address)/v1/doctor", headers: ["Authorization": "Bearer \(key)"])
      let report = try answer.json
      #expect(answer.status == 200 && report.object?["complete"] == true && report.object?["ok"] == false)
      #expect(report.object?["address"] == "http://127.0.0.1:9")
      let findings = report.object?["findings"]?.array?.compactMap(\.object) ?? []
      func sentences(_ check: String) -> String {
        findings.filter { $0["check"]?.string == check }.compactMap { $0["sentence"]?.string }.joined(separator: "\n")
      }
      #expect(sentences("port") == "A service answers on port \(service.port) of 127.0.0.1.")
      #expect(sentences("reach").contains("http://127.0.0.1:9 does not answer"), "\(report.text)")
      #expect(sentences("relay").contains("turn:127.0.0.1:9 over UDP"), "\(report.text)")
      await service.close()
    }

    @Test func findsAnotherProgramOnThePortAndAKeyOfAnotherCertificate() async throws {
      let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
      try await SecureService.makeCertificate(in: one)
      try await SecureService.makeCertificate(in: other)
      let janitor = try ChildProcess("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
      let line = try #require(await janitor.line { $0.contains("port ") })
      let port = try #require(line.split(separator: " ").compactMap { UInt16($0) }.first)
      let visit = try await Visit([
        "--port", "\(port)", "--rtmp-port", "0", "--data", one.path, "--tls-certificate", one.path + "/certificate.pem",
        "--tls-key", other.path + "/key.pem",
      ])
      #expect(visit.status == 1)
      #expect(visit.levels("port") == ["failure"] && visit.text("port").contains("sport = :\(port)"))
      #expect(visit.levels("certificate") == ["failure"])
      #expect(visit.text("certificate").contains("the key is not the one of this certificate"))
      await janitor.terminate()
    }

    @Test func asksTheTURNServerWithItsSecret() async throws {
      let (secret, folder) = ("a secret that coturn shares", try TemporaryFolder())
      let port = try Service.freePort()
      let coturn = try ChildProcess(
        "turnserver",
        [
          "-n", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--listening-port", "\(port)", "--realm",
          "test",
          "--use-auth-secret", "--static-auth-secret", secret, "--no-cli", "--no-tls", "--no-dtls", "--log-file",
          "stdout",
          "--pidfile", folder.path + "/pid", "--allow-loopback-peers",
        ])
      let options = ["--turn", "127.0.0.1:\(port)", "--rtmp-port", "0", "--data", folder.path, "--port", "0"]
      // It says so before it listens.
      try await eventually("coturn answers", or: { coturn.text }) {
        let visit = try await Visit(options, environment: ["JAMJAR_TURN_SECRET": secret])
        return visit.levels("relay") == ["ok", "ok"]
      }
      let right = try await Visit(options, environment: ["JAMJAR_TURN_SECRET": secret])
      #expect(right.isWell && right.text("relay").contains("takes our credentials"))
      #expect(right.levels("address") == ["ok"], "TURN servers answer the question of STUN too")

      let wrong = try await Visit(options, environment: ["JAMJAR_TURN_SECRET": "another secret altogether"])
      #expect(wrong.status == 1)
      #expect(wrong.levels("relay") == ["failure", "failure"], "over UDP and over TCP")
      #expect(wrong.text("relay").contains("refuses our credentials: 401"))
      #expect(wrong.text("relay").contains("static-auth-secret"))
      await coturn.terminate()

      let gone = try await Visit(options, environment: ["JAMJAR_TURN_SECRET": secret])
      #expect(gone.levels("relay") == ["failure", "warning"])
      #expect(gone.text("relay").contains("TURNSERVER_ENABLED=1"))
    }
  }
}
