import Catalog
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Server

/// A stranger who asks for an identifier learns nothing about whether it exists.
@Suite(.timeLimit(.minutes(5))) struct GuessingTests {
  /// What a stranger sees of an answer, with the identifier left out.
  private struct Seen: Equatable {
    var status: Int
    var headers: [String]
    var body: String

    init(_ answer: TestService.Answer, without id: String) {
      status = answer.status
      headers = answer.headers.filter { !["x-request-id", "date"].contains($0.name.lowercased()) }
        .map { "\($0.name.lowercased()): \($0.value.replacing(id, with: "ID"))" }.sorted()
      body = answer.text.replacing(id, with: "ID")
    }
  }

  private static let everything: [(HTTPMethod, String, String)] =
    [
      "", "/manifest", "/mix", "/peaks", "/quality", "/archive", "/cues", "/backups", "/exports",
      "/tracks/01JD4Z6QK8H2V5N7C3XW9RTB0N/audio", "/tracks/01JD4Z6QK8H2V5N7C3XW9RTB0N/peaks",
    ].map { (.GET, $0, "") } + [
      (.HEAD, "/mix", ""), (.PATCH, "", #"{"rating":3}"#), (.DELETE, "", ""),
      (.POST, "/cues", #"{"text":"x","position":0}"#),
      (.PATCH, "/cues/01JD4Z6QK8H2V5N7C3XW9RTB0N", #"{"text":"x"}"#), (.DELETE, "/cues/01JD4Z6QK8H2V5N7C3XW9RTB0N", ""),
      (.POST, "/exports", #"{"kind":"mix","format":"flac24"}"#), (.POST, "/backups", "{}"), (.POST, "/stop", "{}"),
      (.POST, "/restore", "{}"), (.PUT, "", "{}"), (.OPTIONS, "/mix", ""),
    ]

  /// The same for identifiers that exist in another room, that exist nowhere, and that are none.
  private func compare(
    _ requests: [(HTTPMethod, String, String)], below path: String, of id: String, with others: [String],
    as stranger: (String, String), _ service: TestService
  ) async throws {
    for (method, ending, body) in requests {
      let type =
        method == .PATCH && !path.hasPrefix("/v1/backups") ? "application/merge-patch+json" : "application/json"
      func seen(_ id: String) async throws -> Seen {
        let answer = try await service.send(
          method, "\(path)/\(id)\(ending)", [stranger] + (body.isEmpty ? [] : [("Content-Type", type)]),
          body: body.isEmpty ? nil : body)
        return Seen(answer, without: id)
      }
      let hidden = try await seen(id)
      #expect(hidden.status != 200 || method == .OPTIONS, "\(method) \(path) \(ending)")
      #expect(hidden.status < 500)
      for other in others {
        let missing = try await seen(other)
        #expect(hidden == missing, "\(method) \(path)/{id}\(ending)")
      }
    }
  }

  @Test func whatExistsElsewhereLooksLikeWhatExistsNowhere() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let take = rehearsed.take
      let stranger = try await service.token("elsewhere")
      let track = try #require(try await service.catalog.tracks(of: take.id).first)
      let created = try await service.post(
        "/v1/takes/\(take.id)/backups",
        [
          "participant": .string(track.participant.id.description), "sampleRate": 48_000, "channels": 1,
          "format": "s24le",
        ], [key])
      let backup = String(try #require(created["location"]).dropFirst("/v1/backups/".count))
      let answer = try await service.post(
        "/v1/takes/\(take.id)/exports", ["kind": "mix", "format": "flac24"], [key])
      let export = try #require(try answer.json["id"]?.string)

      let nowhere = "01JD4Z6QK8H2V5N7C3XW9RTB0M"
      try await compare(
        GuessingTests.everything, below: "/v1/takes", of: take.id.description, with: [nowhere], as: stranger, service)
      try await compare(
        [(.GET, "", ""), (.HEAD, "", ""), (.PATCH, "", "{}"), (.DELETE, "", "")], below: "/v1/backups", of: backup,
        with: [nowhere], as: stranger, service)
      try await compare(
        [(.GET, "", ""), (.GET, "/file", ""), (.HEAD, "/file", ""), (.DELETE, "", "")], below: "/v1/exports",
        of: export,
        with: [String(repeating: "0", count: export.count)], as: stranger, service)
      // Rooms have names, which everybody may guess: no name is answered, whether somebody is there or not.
      try await compare(
        [(.GET, "", ""), (.GET, "/objects", ""), (.POST, "/takes", "{}")], below: "/v1/rooms",
        of: take.room.description, with: [String(repeating: "x", count: take.room.description.count)], as: stranger,
        service)
      // And it is all there for those who may.
      for path in ["/v1/takes/\(take.id)", "/v1/backups/\(backup)", "/v1/exports/\(export)"] {
        #expect(try await service.send(.GET, path, [key]).status == 200, "\(path)")
      }
    }
  }

  /// Identifiers have 80 random bits beside their time.
  @Test func noIdentifierSaysWhichComesNext() {
    let now = WallTime(milliseconds: 1_795_230_000_000)
    let identifiers = (0..<1_000).map { _ in TakeID(at: now).ulid }
    #expect(Set(identifiers.map(\.low)).count == 1_000)
    // Every bit of the random part varies.
    let (all, none) = identifiers.reduce((UInt64.max, UInt64.zero)) { ($0.0 & $1.low, $0.1 | $1.low) }
    #expect(all == 0 && none == .max)
  }
}
