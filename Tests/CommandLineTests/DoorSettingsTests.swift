import ArgumentParser
import Foundation
import Machines
import Music
import Rooms
import Signaling
import Testing

@testable import Server
@testable import jamjar

/// The settings that doors have in their own folders.
@Suite struct DoorSettingsTests {
  private static let secret = "0123456789abcdef0123456789abcdef01234567"

  private func settings(_ options: [String] = [], file: [String: String]) async throws -> Settings {
    let path = FileManager.default.temporaryDirectory.appending(path: "jamjar-\(UInt64.random(in: 0 ... .max)).json")
    defer { try? FileManager.default.removeItem(at: path) }
    try JSONEncoder().encode(file).write(to: path)
    return try await Settings.read(try SettingsOptions.parse(options + ["--config", path.path]))
  }

  private func problems(_ file: [String: String]) async throws -> [String] {
    let error = await #expect(throws: SettingsProblems.self) { try await settings(file: file) }
    return try #require(error).sentences
  }

  @Test func everyDoorReadsItsOwn() async throws {
    let found = try await settings(file: [
      "xirsys-accounts": "band:\(Self.secret)", "remon-services": "solo:\(Self.secret)",
      "remon-hooks": "solo cast https://band.example/told whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
      "opentok-projects": "46000001:\(Self.secret)", "opentok-partner-auth": "yes",
    ])
    let doors = found.server.doors
    #expect(doors[XirSysConfiguration.self].accounts.has("band"))
    #expect(!doors[XirSysConfiguration.self].accounts.has("solo"))
    #expect(doors[RemonConfiguration.self].services.has("solo"))
    #expect(doors[RemonConfiguration.self].hooks.count == 1)
    let projects = doors[OpenTokConfiguration.self].projects
    #expect(projects.all.map(\.key) == ["46000001"] && projects.takesPartnerAuth && !projects.uploadsArchives)
    // For `config show`: in one list, and no secret.
    #expect(found.found.map(\.key.rawValue).contains("opentok-partner-auth"))
    #expect(!found.found.contains { $0.value.contains(Self.secret) || $0.value.contains("whsec") })
  }

  @Test func aWorkerReadsTheSameFromTheServicesValues() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "jamjar-\(UInt64.random(in: 0 ... .max)).json")
    defer { try? FileManager.default.removeItem(at: path) }
    try JSONEncoder().encode(["xirsys-accounts": "band:\(Self.secret)"]).write(to: path)
    let reader = try await Settings.read(try SettingsOptions.parse(["--config", path.path]))
    let order = try #require(reader.server.doctor)
    #expect(try Settings.read(order.settings).server.doors[XirSysConfiguration.self].accounts.has("band"))
  }

  @Test func everyDoorSaysWhatIsWrongAtOnceAndWithoutTheSecret() async throws {
    let found = try await problems([
      "xirsys-accounts": "band", "remon-services": "solo:short", "opentok-projects": "0:\(Self.secret)",
      "opentok-uploads": "perhaps",
    ])
    #expect(found.count == 4)
    #expect(found.contains { $0.contains("pair 1 of the XirSys accounts is not IDENT:SECRET") })
    #expect(found.contains { $0.contains("the secret of pair 1 of the Remote Monster accounts is invalid") })
    #expect(found.contains { $0.contains("a number from 1 to") })
    #expect(found.contains { $0.contains("opentok-uploads") && $0.contains("permitted: true or false") })
    #expect(!found.joined().contains(Self.secret) && !found.joined().contains("short"))
  }

  @Test func aDoorRefusesWhatDoesNotGoWithTheRest() async throws {
    let alone = try await problems(["opentok-projects": "46000001:\(Self.secret)", "opentok-uploads": "true"])
    #expect(alone == ["opentok-uploads needs --objects: the store that archives are uploaded to"])
    let lonely = try await problems(["opentok-callbacks": "46000001 session https://band.example/told"])
    #expect(lonely == ["opentok-callbacks needs opentok-projects: the projects that it is meant for"])
    let near = try await problems([
      "remon-services": "solo:\(Self.secret)",
      "remon-hooks": "solo cast http://127.0.0.1/told whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    ])
    #expect(near.count == 1 && near[0].contains("Remote Monster hook"), "\(near)")
  }

  @Test func aRelayedSessionOfOpenTokIsAMesh() async throws {
    let found = try await settings(file: ["opentok-projects": "46000001:\(Self.secret)"])
    let project = try #require(found.server.doors[OpenTokConfiguration.self].projects.all.first)
    for (mode, topology) in [(OpenTokSessionID.Mode.relayed, RoomPolicy.Topology.mesh), (.routed, .routed)] {
      let session = try OpenTokSessionID(
        of: project, .init(mode: mode), nonce: ULID(at: WallTime(milliseconds: 1)), hashes: .openSSL)
      #expect(found.rooms.topologyOfName(session.room) == topology)
    }
    #expect(found.rooms.topologyOfName(try RoomName(checking: "take5")) == nil)
  }
}
