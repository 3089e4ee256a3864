import Foundation
import Testing

/// The rows of the files in `Vectors/`, which were captured between programs of others or made with Py3AMF.
enum RTMPVectors {
  struct Value: Decodable {
    var name: String
    var note: String?
    var hex: String
    var expect: String?
  }

  struct Chunks: Decodable {
    enum Expectation: Decodable {
      case verdict(String)
      case messages([[Field]])

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let verdict = try? container.decode(String.self) {
          self = .verdict(verdict)
        } else {
          self = .messages(try container.decode([[Field]].self))
        }
      }
    }

    enum Field: Decodable {
      case number(UInt32)
      case text(String)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(UInt32.self) {
          self = .number(number)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }

    var name: String
    var input: String
    var expect: Expectation
  }

  struct Message: Decodable {
    var capture: String
    var direction: String
    /// Its place in the capture; the file is ordered by types.
    var offset: Int
    var firstChunkType: Int
    var timestamp: UInt32
    var type: UInt8
    var msid: UInt32
    var chunks: Int
    var decoded: String
    var body: String
    var wire: String

    enum CodingKeys: String, CodingKey {
      case capture, direction, offset, timestamp, type, msid, chunks, decoded, body, wire
      case firstChunkType = "first_chunk_type"
    }
  }

  struct Handshake: Decodable {
    struct Digest: Decodable {
      var schema: Int
      var offset: Int
      var digest: String
    }

    var capture: String
    var client: Digest?
    var server: Digest?

    enum CodingKeys: String, CodingKey {
      case capture
      case client = "C1_digest"
      case server = "S1_digest"
    }
  }

  static func read<Row: Decodable>(_ file: String, as type: Row.Type) throws -> [Row] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")
    let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: folder.appendingPathComponent(file)))
    // A test that walks them would check nothing.
    try #require(!rows.isEmpty, "\(file) is empty")
    return rows
  }
}
