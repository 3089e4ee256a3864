import Machines
import Music
import Recording
import Signaling

extension JournalFrame {
  /// The kind's name, as in docs/journal.md.
  var kindName: String {
    switch self {
    case .trackOpened: "trackOpened"
    case .streamChanged: "streamChanged"
    case .rtp: "rtp"
    case .rtcp: "rtcp"
    case .clockSample: "clockSample"
    case .checkTrip: "checkTrip"
    case .roundTrip: "roundTrip"
    case .playoutDelay: "playoutDelay"
    case .directTrip: "directTrip"
    case .path: "path"
    case .wallClock: "wallClock"
    case .cue: "cue"
    case .song: "song"
    case .renamed: "renamed"
    case .degraded: "degraded"
    case .standstill: "standstill"
    case .trackRepeated: "trackRepeated"
    case .headerRepeated: "headerRepeated"
    case .talk: "talk"
    case .backing: "backing"
    case .quality: "quality"
    case .ending: "ending"
    case .trackClosed: "trackClosed"
    case .end: "end"
    }
  }

  /// The frame's contents, as members of a JSON object.
  var members: JSONObject {
    switch self {
    case .trackOpened(_, let track, _):
      [
        "id": .string(track.trackID.description), "participant": .string(track.participant.name.description),
        "part": .optional(track.part), "origin": .string(track.origin), "stream": track.stream.json,
      ]
    case .streamChanged(_, let stream, _): ["stream": stream.json]
    case .rtp(_, _, let packet): PacketReading(packet).members
    case .rtcp(_, _, let packet): ["bytes": .integer(Int64(packet.count))]
    case .clockSample(_, _, let senderTime, let roundTrip):
      ["senderTime": .measure(Double(senderTime) / 1e9), "roundTrip": .measure(roundTrip.seconds)]
    case .checkTrip(_, _, let span), .roundTrip(_, _, let span): ["roundTrip": .measure(span.seconds)]
    case .playoutDelay(_, _, let of, let delay): ["of": .integer(Int64(of)), "delay": .measure(delay.seconds)]
    case .directTrip(_, _, let of, let span): ["of": .integer(Int64(of)), "roundTrip": .measure(span.seconds)]
    case .path(_, _, let isUp): ["up": .bool(isUp)]
    case .wallClock(_, let time): ["time": .string(time.description)]
    case .cue(_, let id, let text, let author):
      ["id": .string(id.description), "text": .string(text), "author": .optional(author?.description)]
    case .song(_, let title): ["title": .optional(title)]
    case .renamed(_, _, let name): ["name": .string(name.description)]
    case .degraded(_, let reason, let lost): ["reason": .string(reason), "lostBytes": .integer(lost)]
    case .standstill(_, let length, let isSuspension):
      ["length": .measure(length.seconds), "suspended": .bool(isSuspension)]
    case .talk(_, _, let isOn): ["on": .bool(isOn)]
    case .backing(_, let backing):
      [
        "backing": .optional(backing?.id.description), "title": .optional(backing?.title),
        "from": backing.map { .measure(SamplePosition($0.from).seconds) } ?? .null,
      ]
    case .quality(_, _, let reading): reading.json
    case .ending(let time, let end): ["in": .measure((end - time).seconds)]
    case .trackRepeated, .headerRepeated, .trackClosed: [:]
    case .end(_, let end): ["reason": .string("\(end)")]
    }
  }
}

extension JournalStream {
  /// The negotiated parameters as JSON; null if nothing was negotiated.
  fileprivate var json: JSONValue {
    func number(_ value: UInt8?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
    return [
      "clockRate": .integer(Int64(clockRate)), "opusPayloadType": .integer(Int64(opusPayloadType)),
      "redPayloadType": number(redPayloadType), "audioLevelExtension": number(audioLevelExtension),
      "absoluteCaptureTimeExtension": number(absoluteCaptureTimeExtension),
      "stereo": isStereo.map(JSONValue.bool) ?? .null,
    ]
  }
}
