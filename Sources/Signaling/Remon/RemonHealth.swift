import Music

/// What a client says every few seconds of its connection (`health`).
///
/// Apps write other fields by platform; those that are not known here are not read.
package struct RemonHealth: Hashable, Sendable {
  /// Round trip, in milliseconds.
  package var roundTrip: Double?
  /// Packets that did not arrive since the last report, or altogether.
  package var lost: Int64?
  package var received: Int64?
  /// In milliseconds.
  package var jitter: Double?
  /// The client's own rating, 1 (very good) to 5 (unusable).
  package var level: Int?

  /// Largest count and time that are taken for one.
  private static let largest: Int64 = 1 << 40

  /// - Throws: `RemonFault` if the body is no JSON object inside a string.
  init(_ frame: RemonFrame, limits: JSONLimits) throws(RemonFault) {
    self.init(try frame.bodyObject(limits: limits))
  }

  package init(_ object: JSONObject) {
    // The web SDK's round trip and jitter are seconds, as in `RTCStats`; those of the phones are milliseconds.
    roundTrip =
      RemonHealth.number(["rtt"], in: object) ?? RemonHealth.number(["audioRtt"], in: object).map { $0 * 1_000 }
    jitter =
      RemonHealth.number(["jitterMs"], in: object)
      ?? RemonHealth.number(["audioJitter", "jitter"], in: object).map { $0 * 1_000 }
    lost = RemonHealth.count(
      ["remoteAudioPacketsLost", "audioPacketsLost", "packetsLost", "lost"], in: object)
    received = RemonHealth.count(
      ["remoteAudioPacketsReceived", "audioPacketsReceived", "packetsReceived", "received"], in: object)
    level = RemonHealth.count(["rating", "healthRating", "level"], in: object, member: "level").flatMap {
      (1...5).contains($0) ? Int($0) : nil
    }
  }

  /// As the room's quality track takes it.
  package var heard: HeardQuality {
    HeardQuality(
      roundTrip: roundTrip, jitter: jitter, received: received.map { Int(clamping: $0) },
      lost: lost.map { Int(clamping: $0) })
  }

  /// The first of these fields that is a number, also as text or as `{level, value}`.
  private static func number(_ names: [String], in object: JSONObject) -> Double? {
    for name in names {
      let value = object[name]?.object?["value"] ?? object[name]
      let number = value?.double ?? value?.string.flatMap { Double($0) }
      if let number, number.isFinite, number >= 0, number < Double(largest) { return number }
    }
    return nil
  }

  private static func count(_ names: [String], in object: JSONObject, member: String = "value") -> Int64? {
    for name in names {
      let value = object[name]?.object?[member] ?? object[name]
      let number = value?.integer ?? value?.string.flatMap { Int64($0) }
      if let number, (0..<largest).contains(number) { return number }
    }
    return nil
  }
}
