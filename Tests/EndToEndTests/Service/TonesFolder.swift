import Foundation
import Music
import Signaling
import TestSupport

/// A data folder with two takes of one song in one room, in which three musicians play one tone each; made once and copied
/// for every test. The second follows the first without losing a sample.
enum TonesFolder {
  /// Name and tone in Hz, by the track's number.
  static let musicians = [("Ada", 440), ("Bob", 660), ("Cyd", 990)]
  static let room = "tones"
  static let song = "Blue in Green"
  /// Seconds of either take at least: longer than two stretches of the page's deck.
  private static let length = 9.0

  /// A copy, and the identifiers of both takes.
  struct Copy: Sendable {
    let folder: TemporaryFolder
    let first: String
    let second: String
  }

  private static let made = Task { try await make() }

  /// Begins to make it, if nobody has; a test that is busy with something else spares the next one the wait.
  static func prepare() { _ = made }

  static func copy() async throws -> Copy {
    let original = try await made.value
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: original.folder.path + "/Recordings", toPath: folder.path + "/Recordings")
    return Copy(folder: folder, first: original.first, second: original.second)
  }

  private static func make() async throws -> Copy {
    let folder = try TemporaryFolder()
    let service = try await Service(folder: folder)
    var senders: [ToneSender] = []
    let begin = ContinuousClock.now
    for (name, frequency) in musicians {
      senders.append(try await ToneSender(name, frequency: frequency, in: room, of: service))
    }
    // A program may be slow to start; the first take is long enough from the last one's first packet on.
    try await eventually("all three play", or: { service.process.text }) {
      let connections = try await service.get("/v1/connections").object?["items"]?.array ?? []
      return connections.count { ($0.object?["bytesIn"]?.integer ?? 0) > 0 } == musicians.count
    }
    let waited = (ContinuousClock.now - begin) / .seconds(1)
    let first = try await service.rollingTake(in: room, lasting: waited + length)
    let split = try await HTTP.send("POST", "\(service.address)/v1/takes/\(first)/split", json: ["song": .string(song)])
    guard split.status == 201, let next = try split.json.object?["id"]?.string else {
      throw EndToEndFailure("the take was not split: \(split.status)")
    }
    let second = try await service.rollingTake(in: room, lasting: length)
    guard second == next else { throw EndToEndFailure("\(second) rolls, not \(next): \(service.process.text)") }
    for sender in senders { try await sender.end() }
    _ = try await service.finishedTake(in: room, count: 2)
    let named = try await HTTP.send(
      "PATCH", "\(service.address)/v1/takes/\(first)", json: ["song": ["title": .string(song)]])
    guard named.status == 200 else { throw EndToEndFailure("the song was not set: \(named.status)") }
    // Whatever is wrong here, all tests of it would tell of something else.
    let list = try await service.takes(in: room)
    guard list.compactMap({ $0["id"]?.string }) == [second, first],
      list.allSatisfy({ ($0["duration"]?.double ?? 0) > length - 1 })
    else { throw EndToEndFailure("not two takes of \(length) s but \(list): \(service.process.text)") }
    await service.close()
    // A second look that the stop cut off would be taken by the service of the first test, beside which nothing would compare:
    // it moves tracks by a tenth of a millisecond, while a page plays them.
    try? FileManager.default.removeItem(atPath: folder.path + "/Recordings/_second-looks")
    return Copy(folder: folder, first: first, second: second)
  }
}
