import Foundation
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Library
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct ListeningRoadTests {
  private func segment(_ track: Track, _ number: String = "0") -> String {
    "/v1/takes/\(track.take)/tracks/\(track.id)/listening/\(number)"
  }

  @Test func whatIsWantedIsMadeAndSentAndGoesWithTheTake() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog, length: 3)
      let track = try #require(rehearsed.manifest.tracks.first)
      let path = segment(track)
      let early = try await service.send(.GET, path)
      #expect(early.status == 202 && early["retry-after"] == "5" && early.bytes.isEmpty)
      try await eventually("the segments are there") { try await service.send(.GET, path).status == 200 }
      let answer = try await service.send(.GET, path)
      #expect(answer["content-type"] == "audio/ogg" && answer.text.hasPrefix("OggS"))
      let tag = try #require(answer["etag"])
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
      #expect(try await service.send(.GET, segment(track, "1")).bytes != answer.bytes)
      let beyond = try await service.send(.GET, segment(track, "2"))
      #expect(beyond.status == 404)
      #expect(try beyond.problem == "not-found")
      for wrong in ["-1", "x", "99999999999999999999"] {
        #expect(try await service.send(.GET, segment(track, wrong)).status == 400, "\(wrong)")
      }
      #expect(try await service.send(.GET, path + "?source=lossless").status == 404)
      let mix = "/v1/takes/\(rehearsed.take.id)/mix/listening/0"
      try await eventually("the mix is there") { try await service.send(.GET, mix).status == 200 }

      // They are the room's, and no part of what is downloaded.
      let folder = "\(service.data.path)/\(rehearsed.take.folder)"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.filter { $0.hasSuffix(".listen") }.count == 3, "\(names)")
      let room = rehearsed.take.room
      let listed = try names.reduce(Int64(0)) { sum, name in
        try sum + TakeFolder(existing: rehearsed.take.folder, in: service.data.path).size(of: name)
      }
      #expect(try TakeFolder.bytes(of: room, in: service.data.path) == listed)
      let archive = try await service.send(.GET, "/v1/takes/\(rehearsed.take.id)/archive").end
      #expect(!archive.contains(".listen"))
      try TakeFolder.delete(rehearsed.take.folder, in: service.data.path)
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }

  @Test func aReadyTakeGetsThemByItselfAlsoAfterAProcessThatWasKilled() async throws {
    let data = try DataFolder()
    var folder = ""
    try await TestService.with(data: data) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      folder = "\(data.path)/\(rehearsed.take.folder)"
      // What a killed process leaves.
      try data.write("half a file", "\(rehearsed.take.folder)/mix.listen.0badcafe.part")
    }
    try await TestService.with(data: data) { service async throws in
      let path = folder
      try await eventually("the segments are there") {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return names.filter { $0.hasSuffix(".listen") }.count == 3 && !names.contains { $0.hasSuffix(".part") }
      }
    }
  }

  @Test func aTakeInTheTrashGetsNone() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let take = "/v1/takes/\(rehearsed.take.id)"
      let path = segment(try #require(rehearsed.manifest.tracks.first))
      #expect(try await service.send(.DELETE, take).status == 200)
      let refused = try await service.send(.GET, path)
      #expect(refused.status == 404 && refused.text.contains("trash"), "\(refused.text)")
      #expect(try await service.post(take + "/restore", [:]).status == 200)
      #expect(try await service.send(.GET, path).status == 202)
      try await eventually("the segments are there") { try await service.send(.GET, path).status == 200 }
    }
  }

  @Test func aTakeWhoseSoundIsNoneIsNotTriedForEver() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = segment(shelved.track)
      for _ in 0..<3 { #expect(try await service.send(.GET, path).status == 202) }
      // The sound itself is offered all the same.
      let audio = "/v1/takes/\(shelved.take.id)/tracks/\(shelved.track.id)/audio"
      #expect(try await service.send(.GET, audio).status == 200)
    }
  }
}
