import ArgumentParser
import Foundation
import Machines
import Realtime
import Rooms
import Testing

@testable import jamjar

/// The settings of media paths, from options and a file.
@Suite struct ICESettingsTests {
  private func settings(_ options: [String], file: [String: String] = [:]) async throws -> Settings {
    let path = FileManager.default.temporaryDirectory.appending(path: "jamjar-\(UInt64.random(in: 0 ... .max)).json")
    defer { try? FileManager.default.removeItem(at: path) }
    try JSONEncoder().encode(file).write(to: path)
    return try await Settings.read(try SettingsOptions.parse(options + ["--config", path.path]))
  }

  private func problem(_ options: [String], file: [String: String] = [:]) async -> String {
    do {
      _ = try await settings(options, file: file)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  private static let secret = "a secret that coturn shares"

  @Test func aTURNServerHasAUserOrASecret() async throws {
    let fixed = try await settings(["--turn", "ada:s:3@127.0.0.1:3479"]).rooms.ice.relays
    #expect(
      fixed == [
        .init(
          address: "127.0.0.1", port: 3_479, access: .fixed(.init(username: "ada", password: "s:3")),
          url: "turn:127.0.0.1:3479")
      ])
    let limited = try await settings(["--turn", "127.0.0.1"], file: ["turn-secret": Self.secret]).rooms.ice.relays
    #expect(
      limited == [
        .init(
          address: "127.0.0.1", port: 3_478, access: .timeLimited(RelaySecret(Secret(Self.secret))),
          url: "turn:127.0.0.1:3478")
      ])
  }

  @Test func aPublicAddressIsANumberOrAName() async throws {
    #expect(try await settings(["--ice-public-address", "203.0.113.10"]).rooms.ice.publicAddress == "203.0.113.10")
    #expect(try await settings([]).rooms.ice.publicAddress == nil)
    for text in ["localhost", "0.0.0.0", "224.0.0.1", "169.254.1.1", "2001:db8::1", "203.0.113.10:40000"] {
      #expect(await problem(["--ice-public-address", text]).contains("for example 203.0.113.10"), "\(text)")
    }
  }

  /// A browser refuses `turn:2001:db8::1:3478`, and with it every server beside it.
  @Test func theAddressOfAServerIsInBracketsIfItIsIPv6() async throws {
    let ice = try await settings(["--turn", "ada:secret@[::1]:3479", "--stun", "[::1]"]).rooms.ice
    #expect(ice.relays.map(\.url) == ["turn:[::1]:3479"] && ice.relays.map(\.address) == ["::1"])
    #expect(ice.announced.map(\.urls) == [["stun:[::1]:3478"]])
  }

  @Test func halvesAndContradictionsAreProblems() async {
    #expect(await problem(["--turn", "127.0.0.1"]).contains("JAMJAR_TURN_SECRET"))
    #expect(await problem([], file: ["turn-secret": Self.secret]).contains("--turn"))
    #expect(await problem(["--turn", "a:b@127.0.0.1"], file: ["turn-secret": Self.secret]).contains("fixed or made"))
    let short = await problem(["--turn", "127.0.0.1"], file: ["turn-secret": "elevenbytes"])
    #expect(short.contains("16 bytes") && !short.contains("elevenbytes"))
  }

  @Test func secretsAreNotShown() async throws {
    let found = try await settings(["--turn", "127.0.0.1"], file: ["turn-secret": Self.secret]).found
    #expect(found.contains { $0.key == .turnSecret } && !found.contains { $0.value.contains(Self.secret) })
  }

  @Test func peersAreGivenInWords() async throws {
    let rooms = try await settings(["--ice-peers", "public,10.8.0.0/16", "--port", "8443", "--rtmp-port", "1936"]).rooms
    #expect(rooms.ice.reach == PeerReach(parsing: "public,10.8.0.0/16") && rooms.ice.reach != nil)
    #expect(rooms.ice.servicePorts == [8_443, 1_936])
    #expect(try await settings([]).rooms.ice.reach == nil)
    #expect(await problem(["--ice-peers", "everybody"]).contains("public, nearby, private, machine, any"))
  }
}
