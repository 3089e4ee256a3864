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
    /// In milliseconds; nil where the recorder does not know.
    var errorBound: Double?
    var expectedPackets: Int
    var recoveredPackets: Int
    var lostPackets: Int
    var basis: String
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
    self = try JSONDecoder().decode(Certificate.self, from: Data(manifest))
  }
}
