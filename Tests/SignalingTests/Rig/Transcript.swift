import Foundation
import Testing

@testable import Signaling

/// One conversation of a page in docs, fenced as "transcript".
struct Transcript: CustomTestStringConvertible, Sendable {
  struct Line: Sendable {
    enum Sign: Character, Sendable {
      case client = ">"
      case server = "<"
      /// What happens in the room, in words.
      case event = "="
    }

    var sign: Sign
    var text: String
  }

  var page: String
  /// The line of the page at which it begins.
  var line: Int
  /// What stands behind "transcript".
  var kind: String
  var lines: [Line] = []

  var testDescription: String { "\(page):\(line)" }

  /// The text of a page such as "docs/protocol.md".
  static func text(of page: String) -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return (try? String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)) ?? ""
  }

  /// All transcripts of a page. A line without a sign continues the one before.
  static func all(in page: String) -> [Transcript] {
    let fence = "```transcript"
    var transcripts: [Transcript] = []
    var current: Transcript?
    for (index, line) in text(of: page).components(separatedBy: "\n").enumerated() {
      if line.hasPrefix(fence) {
        let kind = line.dropFirst(fence.count).trimmingCharacters(in: .whitespaces)
        current = Transcript(page: page, line: index + 1, kind: kind)
      } else if line == "```", let transcript = current {
        transcripts.append(transcript)
        current = nil
      } else if let sign = line.first.flatMap(Line.Sign.init(rawValue:)), line.dropFirst().first == " " {
        current?.lines.append(Line(sign: sign, text: String(line.dropFirst(2))))
      } else if let last = current?.lines.indices.last {
        current?.lines[last].text += line.trimmingCharacters(in: .whitespaces)
      }
    }
    return transcripts
  }
}

/// The machines of one dialect and what stands around them, as far as a transcript needs it.
protocol TranscriptPlayer: ~Copyable {
  /// The client says a text; what the server says to that at once.
  /// - Parameter next: the next line of the page.
  mutating func say(_ text: String, before next: Transcript.Line?) throws -> [String]
  /// The client reads a text of the server's.
  mutating func read(_ text: String) throws
  /// What the server says once its shell has brought about what makes it say `text`.
  mutating func bringAbout(_ text: String) throws -> [String]
  /// Something happens in the room; what the server says to that.
  mutating func happen(_ words: String) throws -> [String]
  /// The page says no more.
  func finish(_ transcript: Transcript)
}

extension TranscriptPlayer where Self: ~Copyable {
  mutating func read(_ text: String) {}

  mutating func bringAbout(_ text: String) -> [String] { [] }

  mutating func happen(_ words: String) -> [String] {
    Issue.record("nothing is known of this: \(words)")
    return []
  }

  func finish(_ transcript: Transcript) {}

  /// Feeds the client's lines and what happens; the server has to say its lines, in their order, and nothing else.
  mutating func play(_ transcript: Transcript) throws {
    #expect(!transcript.lines.isEmpty)
    var said: [String] = []
    for (index, line) in transcript.lines.enumerated() {
      switch line.sign {
      case .client:
        #expect(said.isEmpty, "this was said before \(line.text): \(said)")
        said += try say(line.text, before: transcript.lines.dropFirst(index + 1).first)
      case .event: said += try happen(line.text)
      case .server:
        try read(line.text)
        if said.isEmpty { said = try bringAbout(line.text) }
        let next = try #require(said.first, "the server does not say \(line.text)")
        said.removeFirst()
        #expect(try JSONValue(parsing: next).sorted == JSONValue(parsing: line.text).sorted)
      }
    }
    #expect(said.isEmpty, "the server also said \(said)")
    finish(transcript)
  }
}

extension JSONValue {
  /// The same value with the members of all objects in the order of their names, since order means nothing.
  var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.name, $0.value.sorted) }.sorted { $0.0 < $1.0 }))
    case .number(let number): .measure(number)
    default: self
    }
  }
}
