import Foundation
import Music
import Recording
import Signaling
import TestSupport

extension Service {
  /// One track of a finished take: what REST says of it, and its samples.
  struct RecordedTrack: Sendable {
    var participant: String
    var part: String?
    var sound: Sound
    /// Gaps as REST lists them.
    var gaps: [JSONValue]
    /// How well it is placed and what it took, as REST says it.
    var alignment: JSONObject

    func count(_ name: String) -> Int { Int(alignment[name]?.integer ?? -1) }

    /// Gaps that the recorder or the network made.
    ///
    /// Not those where the microphone stood still, as fake ones and oscillators do on a busy machine, and not those of the
    /// last half second: what is lost when the page goes cannot be asked for again.
    var losses: [JSONValue] {
      let end = Double(sound.frames) / Double(sound.rate) - 0.5
      return gaps.filter { gap in
        let gap = gap.object ?? [:]
        return gap["cause"]?.string != "captureStall" && (gap["start"]?.double ?? 0) < end
      }
    }

    /// The largest that the take states for a part of the track, all in seconds.
    func errorBound(in part: ClosedRange<Double>) -> Double {
      let stretches = alignment["errorBounds"]?.array?.compactMap(\.object) ?? []
      let bounds = stretches.compactMap { stretch -> Double? in
        guard let start = stretch["start"]?.double, let end = stretch["end"]?.double, start <= part.upperBound,
          end >= part.lowerBound
        else { return nil }
        return stretch["errorBound"]?.double ?? .infinity
      }
      return (bounds.max() ?? .infinity) / 1_000
    }
  }

  /// A finished take, downloaded.
  struct RecordedTake: Sendable {
    var id: String
    var state: String
    /// Civil time of the take's zero.
    var startedAt: WallTime
    var tracks: [RecordedTrack]
    var mix: Sound

    func track(of participant: String) -> RecordedTrack? { tracks.first { $0.participant == participant } }
  }

  /// GET with JSON.
  func get(_ path: String) async throws -> JSONValue {
    let answer = try await HTTP.send("GET", address + path)
    guard answer.status == 200 else {
      throw EndToEndFailure("GET \(path) answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return try answer.json
  }

  /// The takes of a room, newest first or last as REST lists them.
  func takes(in room: String) async throws -> [JSONObject] {
    let name = room.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? room
    return try await get("/v1/takes?room=\(name)").object?["items"]?.array?.compactMap(\.object) ?? []
  }

  /// Waits until a room has `count` finished takes and downloads the one that started last.
  func finishedTake(in room: String, count: Int = 1) async throws -> RecordedTake {
    let finished: Set = ["ready", "incomplete", "failed"]
    var takes: [JSONObject] = []
    let process = process
    try await eventually("\(count) finished takes in \(room)", or: { process.text }) {
      takes = try await self.takes(in: room)
      return takes.count >= count && takes.allSatisfy { finished.contains($0["state"]?.string ?? "") }
    }
    guard let take = takes.max(by: { ($0["startedAt"]?.string ?? "") < ($1["startedAt"]?.string ?? "") }) else {
      throw EndToEndFailure("\(room) has no take")
    }
    return try await download(take)
  }

  private func download(_ take: JSONObject) async throws -> RecordedTake {
    guard let id = take["id"]?.string, let startedAt = take["startedAt"]?.string.flatMap(WallTime.init),
      let state = take["state"]?.string
    else { throw EndToEndFailure("a take without id, state or startedAt: \(JSONValue.object(take).text)") }
    let items = try await get("/v1/takes/\(id)/tracks").object?["items"]?.array?.compactMap(\.object) ?? []
    var tracks: [RecordedTrack] = []
    for (index, track) in items.enumerated() {
      let name = "track-\(index)"
      tracks.append(
        RecordedTrack(
          participant: track["participant"]?.object?["name"]?.string ?? "",
          part: track["part"]?.string,
          sound: try await sound("/v1/takes/\(id)/tracks/\(track["id"]?.string ?? "")/audio", folder: id, name: name),
          gaps: track["gaps"]?.array ?? [], alignment: track["alignment"]?.object ?? [:]))
    }
    return RecordedTake(
      id: id, state: state, startedAt: startedAt, tracks: tracks,
      mix: try await sound("/v1/takes/\(id)/mix", folder: id, name: "mix"))
  }

  /// Downloads a sound file and reads it as Jamjar's own reader does.
  func sound(_ path: String, folder: String, name: String) async throws -> Sound {
    let answer = try await HTTP.send("GET", address + path)
    guard answer.status == 200 else { throw EndToEndFailure("GET \(path) answered \(answer.status)") }
    let downloads = self.path("downloads/\(folder)")
    try FileManager.default.createDirectory(atPath: downloads, withIntermediateDirectories: true)
    try Data(answer.body).write(to: URL(fileURLWithPath: "\(downloads)/\(name)"))
    return try downloaded(name, folder: folder)
  }

  /// A sound file that is in the folder of downloads.
  func downloaded(_ name: String, folder: String) throws -> Sound {
    let reader = try SoundFileReader(name, in: try TakeFolder(existing: folder, in: path("downloads")))
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    return Sound(rate: reader.rate, interleaved: samples, channels: reader.channels)
  }
}
