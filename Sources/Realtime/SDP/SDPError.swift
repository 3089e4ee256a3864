/// The reason why a text is not a session description: the line, its fault, and the correction.
///
/// The sentence never quotes the description, which contains addresses and passwords, because it is logged.
package struct SDPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The fault.
  package enum Reason: Sendable, Hashable {
    case empty
    case tooManyBytes(limit: Int)
    case tooManyMediaSections(limit: Int)
    case tooManyCandidates(limit: Int)
    case tooManyAttributes(limit: Int)
    case tooManyFormats(limit: Int)
    case tooManyLines(limit: Int)
    case notUTF8
    case controlCharacter
    case notALine
    case expected(type: Character)
    case repeated(type: Character)
    case unsupportedVersion
    case malformedOrigin
    case malformedMedia
    case malformedPort
    case malformedAttribute
  }

  /// The line, counted from 1; 0 if the fault concerns the whole text.
  package var line: Int
  package var reason: Reason

  package init(line: Int, reason: Reason) {
    self.line = line
    self.reason = reason
  }

  /// A stable code for clients to switch on.
  package var code: String {
    switch reason {
    case .tooManyBytes, .tooManyMediaSections, .tooManyCandidates, .tooManyAttributes, .tooManyFormats, .tooManyLines:
      "sdp-too-large"
    default:
      "sdp-malformed"
    }
  }

  /// A sentence with the line number and the correction.
  package var description: String {
    (line > 0 ? "SDP line \(line): " : "SDP: ") + sentence
  }

  private var sentence: String {
    switch reason {
    case .empty: "the description is empty; it begins with \"v=0\"."
    case .tooManyBytes(let limit): "the description is too long; at most \(limit) bytes are read."
    case .tooManyMediaSections(let limit): "too many m= sections; at most \(limit) are read."
    case .tooManyCandidates(let limit): "too many a=candidate lines; at most \(limit) are read."
    case .tooManyAttributes(let limit): "too many a= lines in one section; at most \(limit) are read."
    case .tooManyFormats(let limit): "too many formats in the m= line; at most \(limit) are read."
    case .tooManyLines(let limit): "too many lines before the attributes of a section; at most \(limit) are read."
    case .notUTF8: "the line is not UTF-8."
    case .controlCharacter: "the line contains a control character; lines are text and end with CR LF."
    case .notALine: "this is no line of the form \"x=value\" with one small letter before the equals sign."
    case .expected(let type): "a line \"\(type)=\" is expected here; a description begins with v=, o= and s=."
    case .repeated(let type): "the line \"\(type)=\" may occur only once, at the beginning."
    case .unsupportedVersion: "the version is not 0; the line should read \"v=0\"."
    case .malformedOrigin: "the origin should read \"o=<user> <id> <version> IN IP4|IP6 <address>\"."
    case .malformedMedia: "the media line should read \"m=<media> <port> <proto> <format> …\"."
    case .malformedPort: "the port should be a number from 0 to 65535, optionally followed by \"/<count>\"."
    case .malformedAttribute: "the attribute has no name; it should read \"a=<name>\" or \"a=<name>:<value>\"."
    }
  }
}
