import Foundation

/// What a manifest promises of its take, read as others would read it: by its JSON.
struct Certificate: Decodable, Sendable {
  struct Take: Decodable, Sendable {
    var state: String
    /// In samples.
    var length: Int64?
  }

  struct Participant: Decodable, Sendable {
    var name: String
  }

  struct Gap: Decodable, Sendable {
    /// In samples.
    var start: Int64
    var length: Int64
    var cause: String
  }

  struct Alignment: Decodable, Sendable {
    /// In milliseconds; infinite where the recorder does not know.
    var errorBound: Double?
    /// The bound over time, where the recorder tells it.
    var stretches: [Stretch]?
    var expectedPackets: Int
    var recoveredPackets: Int
    var lostPackets: Int
    var basis: String
    /// Where the sender could have left out sound unnoticed.
    var unseenDrops: [Span]?

    /// What is said of the sample at `place`, in milliseconds; nil where nothing is known of it.
    func bound(at place: Double) -> Double? {
      let stretch = stretches?.first { place >= Double($0.start) && place < Double($0.end) }
      return (stretch?.errorBound ?? errorBound).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  struct Span: Decodable, Sendable {
    /// In samples.
    var start: Int64
    var end: Int64
  }

  struct Stretch: Decodable, Sendable {
    /// In samples.
    var start: Int64
    var end: Int64
    /// In milliseconds; infinite where the recorder does not know.
    var errorBound: Double?
  }

  struct Track: Decodable, Sendable {
    var participant: Participant
    var file: String?
    var gaps: [Gap]
    var alignment: Alignment?
  }

  struct Refinement: Decodable, Sendable {
    var packets: Int
    var greatestMove: Double
  }

  var take: Take
  var tracks: [Track]
  var notes: [String]
  var refinement: Refinement?

  init(_ manifest: [UInt8]) throws {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    self = try decoder.decode(Certificate.self, from: Data(manifest))
  }
}
