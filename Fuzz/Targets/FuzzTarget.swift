/// One door for bytes from outside, as a function: a trap or a `FuzzFault` is a finding.
///
/// `script/fuzz` runs it under libFuzzer; `FuzzTests` runs it with a few mutations of the corpus in every test run.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name for `script/fuzz`, and of the folder in `Fuzz/corpus`.
  package let name: String
  /// Longest input worth a try, in bytes.
  package let longest: Int
  private let body: @Sendable ([UInt8]) throws -> Void

  package init(_ name: String, longest: Int = 4_096, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.longest = longest
    self.body = body
  }

  /// Feeds one input; of a longer one than `longest` nothing.
  /// - Throws: `FuzzFault` if a promise about the input was broken.
  package func run(_ bytes: [UInt8]) throws {
    if bytes.count <= longest { try body(bytes) }
  }

  package var description: String { name }

  /// The targets below the server, in alphabetical order.
  package static let all = [
    amf, archive, audioTag, candidate, clients, dtls, extensions, guests, journal, json, kurento, kurentoTree,
    manifest, native, openTok, packets, peer, project, query, raptor, remon, rtcp, rtmp, rtmpHandshake, rtp, rumor, sdp,
    sockJS, sound, srtp,
    stun, values, webSocket, xirsys,
  ]
}

/// A broken promise about an input.
package struct FuzzFault: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Throws a `FuzzFault` with `sentence` unless `condition` is true.
package func promise(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(FuzzFault) {
  guard condition else { throw FuzzFault(sentence()) }
}

/// An input that is taken apart into numbers and datagrams.
package struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// The next byte; 0 at the end.
  package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Everything else.
  package mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// The next block: two bytes of length, most significant first, and as many bytes as there are of those; nil at the
  /// end.
  package mutating func block() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    let length = Int(byte()) << 8 | Int(byte())
    defer { rest = rest.dropFirst(length) }
    return Array(rest.prefix(length))
  }
}
