import Catalog
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

/// A take that was really rendered, and what ada's own sound card kept of it.
struct BackedTake {
  let take: Take
  let manifest: Manifest
  /// What the card kept, as an upload has it.
  let bytes: [UInt8]
  let rehearsal: VirtualBackup

  static let length = 4.0
  static let rate = 44_100

  var ada: Track { manifest.tracks[0] }
  var folder: String { take.folder }

  /// - Parameter length: of the take, in seconds.
  init(_ service: TestService, length: Double = BackedTake.length) async throws {
    let rehearsed = try await RehearsedTake(in: service.data, service.catalog, length: length)
    (take, manifest) = (rehearsed.take, rehearsed.manifest)
    let signal = VirtualSignal()
    let sound = (0..<2).map { signal.samples(from: -48_000, count: Int(length + 2) * 48_000, channel: $0) }
    var rehearsal = VirtualBackup(sound: sound, lead: 1, length: length)
    (rehearsal.rate, rehearsal.drift) = (BackedTake.rate, 60)
    (rehearsal.start, rehearsal.end) = (-0.5, length - 0.5)
    self.rehearsal = rehearsal
    bytes = rehearsal.backup().bytes
  }

  /// The body of a POST.
  func wish(_ participant: ParticipantID? = nil) -> JSONValue {
    [
      "participant": .string((participant ?? ada.participant.id).description),
      "sampleRate": .integer(Int64(BackedTake.rate)), "channels": 1, "format": "s24le",
      "startedAt": .string(take.startedAt.description), "device": "a sound card",
    ]
  }

  /// Begins a backup; its address.
  func begin(_ service: TestService, _ participant: ParticipantID? = nil) async throws -> String {
    let answer = try await service.post("/v1/takes/\(take.id)/backups", wish(participant))
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer["upload-offset"] == "0")
    return try #require(answer["location"])
  }

  /// The names of the files in the take's folder that are uploads'.
  func uploads(_ service: TestService) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(service.data.path)/\(folder)")
      .filter { $0.hasPrefix("backup-") }.sorted()
  }
}

extension TestService {
  /// Sends the next bytes of a backup.
  func append(
    _ bytes: [UInt8], to path: String, at offset: Int, isLast: Bool = false, _ headers: [(String, String)] = []
  ) async throws -> Answer {
    let own = [
      ("Content-Type", "application/partial-upload"), ("Upload-Offset", "\(offset)"),
      ("Upload-Complete", isLast ? "?1" : "?0"),
    ]
    return try await send(.PATCH, path, own + headers, bytes: bytes)
  }

  /// Sends all of a backup, in pieces that end nowhere in particular.
  func upload(_ bytes: [UInt8], to path: String) async throws {
    var offset = 0
    while offset < bytes.count {
      let piece = Array(bytes[offset..<min(bytes.count, offset + 300_001)])
      offset += piece.count
      let answer = try await append(piece, to: path, at: offset - piece.count, isLast: offset == bytes.count)
      #expect(answer.status == 204 && answer["upload-offset"] == "\(offset)", "\(answer.text)")
    }
  }

  private static let ends: Set<ServiceEventKind> = [
    .backupReady, .backupRefused, .backupFailed, .exportDone, .exportFailed,
  ]

  /// Waits by the events until a backup or an export is over, and shows it.
  func over(_ path: String) async throws -> JSONObject {
    let id = path.split(separator: "/").last.map(String.init)
    var place: UInt64 = 0
    let reader = broker.events.subscribe()
    for await _ in reader.wakes {
      let reading = broker.events.read(after: place, limit: 10_000)
      place = reading.place
      for numbered in reading.events where TestService.ends.contains(numbered.event.kind) {
        guard case .members(let members) = numbered.event.content,
          (members["backup"] ?? members["export"])?.object?["id"]?.string == id
        else { continue }
        return try await send(.GET, path).json
      }
    }
    return [:]
  }
}

extension TestService.Answer {
  /// The end of an archive as text: its list of files.
  var end: String { String(decoding: bytes.suffix(8_192), as: UTF8.self) }
}
