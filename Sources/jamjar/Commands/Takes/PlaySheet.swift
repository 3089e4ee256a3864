import Foundation
import Music
import Recording
import Signaling

/// The information that a player needs about a take.
struct PlaySheet {
  private let take: TakeView
  private let manifest: Manifest
  private let place: (Manifest.File) -> JSONObject

  /// - Parameter place: a file's `path` or `url`.
  init(_ take: TakeView, manifest: Manifest, place: @escaping (Manifest.File) -> JSONObject) {
    self.take = take
    self.manifest = manifest
    self.place = place
  }

  /// All sound files have the take's rate and length and begin at its zero.
  var json: JSONValue {
    var object: JSONObject = [
      "take": .string(take.id), "room": .string(take.room), "number": .integer(take.number),
      "state": .string(take.state), "song": take.json["song"] ?? .null, "sampleRate": .integer(SamplePosition.rate),
      "duration": take.json["duration"] ?? .null,
      "samples": manifest.take.length.map { .integer($0.samples) } ?? .null,
      "mix": manifest.files.first { $0.role == .mix }.map { .object(mix($0)) } ?? .null,
    ]
    object["tracks"] = .array(
      manifest.tracks.compactMap { track in
        manifest.files.first { $0.role == .track && $0.track == track.id }.map { .object(self.track(track, $0)) }
      })
    object["cues"] = .array(take.cues.map { .object($0) })
    return .object(object)
  }

  private func mix(_ file: Manifest.File) -> JSONObject {
    var object = sound(file)
    object["channels"] = 2
    object["loudness"] = measure(manifest.mixLoudness)
    object["peak"] = measure(manifest.mixPeak)
    object["peaks"] = manifest.files.first { $0.role == .peaks && $0.track == nil }.map { .object(place($0)) } ?? .null
    return object
  }

  private func track(_ track: Track, _ file: Manifest.File) -> JSONObject {
    var object: JSONObject = [
      "number": .integer(Int64(track.number)), "id": .string(track.id.description),
      "participant": .string(track.participant.name.description), "part": .optional(track.part),
    ]
    for member in sound(file).members { object[member.name] = member.value }
    object["channels"] = .integer(Int64(track.channels))
    // In the take's own mix every track stands as it was recorded.
    object["gain"] = 0
    object["pan"] = 0
    object["loudness"] = measure(track.loudness)
    object["peak"] = measure(track.peak)
    object["peaks"] =
      manifest.files.first { $0.role == .peaks && $0.track == track.id }.map { .object(place($0)) } ?? .null
    return object
  }

  private func sound(_ file: Manifest.File) -> JSONObject {
    var object = place(file)
    object["format"] = .optional(file.format?.rawValue)
    object["mediaType"] = .optional(file.format?.mediaType)
    object["bits"] = file.format.map { .integer(Int64($0.bits)) } ?? .null
    object["size"] = .integer(file.size)
    return object
  }

  private func measure(_ value: Double?) -> JSONValue { value.map(JSONValue.measure) ?? .null }

  var text: String {
    var table = TextTable([
      .number("track"), .text("musician"), .number("channels"), .number("gain dB"), .number("LUFS"),
      .number("peak dBFS"), .whole("format"), .whole("file"),
    ])
    let object = json.object
    func add(_ file: JSONObject, number: String, name: String) {
      table.add([
        number, name, file["channels"]?.integer.map(String.init) ?? "-", Reading.fixed(file["gain"]?.double, 1),
        Reading.fixed(file["loudness"]?.double, 1), Reading.fixed(file["peak"]?.double, 1),
        file["format"]?.string ?? "-", (file["path"] ?? file["url"])?.string ?? "-",
      ])
    }
    if let mix = object?["mix"]?.object { add(mix, number: "mix", name: "-") }
    for track in object?["tracks"]?.array?.compactMap(\.object) ?? [] {
      add(track, number: track["number"]?.integer.map(String.init) ?? "-", name: track["participant"]?.string ?? "-")
    }
    let song = take.song.map { " of \"\($0.printable)\"" } ?? ""
    var parts = [
      "Take \(take.number)\(song) in room \"\(take.room.printable)\": \(Reading.length(seconds: take.duration)), "
        + "\(SamplePosition.rate) Hz, all files from the same zero",
      table.isEmpty ? "There is nothing to play." : table.text,
    ]
    if !take.cues.isEmpty {
      var cues = TextTable([.number("cue at"), .text("text")])
      for cue in take.cues {
        cues.add([Reading.length(seconds: cue["position"]?.double), cue["text"]?.string ?? ""])
      }
      parts.append(cues.text)
    }
    return parts.joined(separator: "\n\n")
  }
}
