/// One conversation of `ConformanceTests`, after the groups 1 to 7 and 10 of the Autobahn test suite.
struct ConformanceCase: Sendable, CustomStringConvertible {
  /// Autobahn's number of the case that it is like, and a word.
  var name: String
  /// The bytes of the client, in the pieces in which they are sent.
  var pieces: [[UInt8]]
  /// The code with which the service closes.
  var code: UInt16
  /// Whether the request among the frames is answered.
  var isAnswered: Bool
  /// The payloads of the pongs, in their order.
  var pongs: [[UInt8]] = []

  var description: String { name }

  private typealias Raw = RawConnection

  /// Frames after which the link is open: a request is answered, and a close is.
  private static func open(
    _ name: String, _ frames: [[UInt8]], pongs: [[UInt8]] = [], chop: Int? = nil, request: [UInt8]
  ) -> ConformanceCase {
    let all = frames + [Raw.frame(1, request), Raw.frame(8, [0x03, 0xE8])]
    return ConformanceCase(name: name, pieces: chopped(all, chop), code: 1000, isAnswered: true, pongs: pongs)
  }

  /// Frames that contain the request themselves.
  private static func answered(
    _ name: String, _ frames: [[UInt8]], pongs: [[UInt8]] = [], chop: Int? = nil, code: UInt16 = 1000
  ) -> ConformanceCase {
    let all = code == 1000 ? frames + [Raw.frame(8, [0x03, 0xE8])] : frames
    return ConformanceCase(name: name, pieces: chopped(all, chop), code: code, isAnswered: true, pongs: pongs)
  }

  /// Frames for which the service closes. What follows them is not answered any more.
  private static func closed(
    _ name: String, _ frames: [[UInt8]], _ code: UInt16 = 1002, pongs: [[UInt8]] = [], chop: Int? = nil
  ) -> ConformanceCase {
    let all = frames + [Raw.frame(9, Array("too late".utf8))]
    return ConformanceCase(name: name, pieces: chopped(all, chop), code: code, isAnswered: false, pongs: pongs)
  }

  private static func chopped(_ frames: [[UInt8]], _ length: Int?) -> [[UInt8]] {
    let bytes = frames.flatMap { $0 }
    guard let length else { return [bytes] }
    return stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min(bytes.count, $0 + length)]) }
  }

  /// All cases for a path whose `request` is a text that is answered at once.
  static func all(_ request: [UInt8]) -> [ConformanceCase] {
    framing(request) + pings(request) + reservedBits(request) + opcodes(request) + fragments(request) + texts(request)
      + closes(request) + masks(request) + sizes(request)
  }

  // MARK: 1 and 10

  private static func framing(_ request: [UInt8]) -> [ConformanceCase] {
    // One at each length at which the head changes, and the sizes of 9.1 that the limit permits.
    var cases = [125, 126, 127, 128, 65_535, 65_536, 262_144].map { length in
      answered("1.1 a text of \(length) bytes", [Raw.frame(1, padded(request, to: length))])
    }
    cases.append(answered("1.1.8 in pieces of 997 bytes", [Raw.frame(1, padded(request, to: 65_536))], chop: 997))
    cases += [0, 125, 126, 65_536].map { length in
      open("1.2 \(length) bytes, not text", [Raw.frame(2, [UInt8](repeating: 0xFE, count: length))], request: request)
    }
    cases.append(open("1.1.1 an empty text", [Raw.frame(1, [])], request: request))
    let mebibyte = RawConnection.fragments(
      String(decoding: padded(request, to: 65_536), as: UTF8.self), of: 1_300)
    cases.append(answered("10.1.1 65,536 bytes in frames of 1,300", mebibyte))
    return cases
  }

  private static func padded(_ request: [UInt8], to length: Int) -> [UInt8] {
    request + [UInt8](repeating: 0x20, count: max(0, length - request.count))
  }

  // MARK: 2

  private static func pings(_ request: [UInt8]) -> [ConformanceCase] {
    let binary: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]
    let long = [UInt8](repeating: 0xFE, count: 125)
    let ten = (0..<10).map { Array("payload-\($0)".utf8) }
    return [
      open("2.1 an empty ping", [Raw.frame(9, [])], pongs: [[]], request: request),
      open(
        "2.2 a ping of text", [Raw.frame(9, Array("Hello, world!".utf8))], pongs: [Array("Hello, world!".utf8)],
        request: request),
      open("2.3 a ping of bytes", [Raw.frame(9, binary)], pongs: [binary], request: request),
      open("2.4 a ping of 125 bytes", [Raw.frame(9, long)], pongs: [long], request: request),
      closed("2.5 a ping of 126 bytes", [Raw.frame(9, long + [0xFE])]),
      open("2.6 byte by byte", [Raw.frame(9, long, mask: [1, 2, 3, 4])], pongs: [long], chop: 1, request: request),
      open("2.7 a pong that nobody wanted", [Raw.frame(0xA, [])], request: request),
      open("2.8 the same with bytes", [Raw.frame(0xA, binary)], request: request),
      open("2.9 a pong before a ping", [Raw.frame(0xA, [1]), Raw.frame(9, [2])], pongs: [[2]], request: request),
      open("2.10 ten pings", ten.map { Raw.frame(9, $0) }, pongs: ten, request: request),
      open("2.11 ten pings byte by byte", ten.map { Raw.frame(9, $0) }, pongs: ten, chop: 1, request: request),
    ]
  }

  // MARK: 3

  private static func reservedBits(_ request: [UInt8]) -> [ConformanceCase] {
    (UInt8(1)...7).flatMap { bits in
      [UInt8(1), 2, 8, 9, 0xA].map { opcode in
        let frame = Raw.frame(bits << 4 | opcode, opcode == 8 ? [0x03, 0xE8] : Array("{}".utf8))
        return closed("3.\(bits) on opcode \(opcode)", [frame], chop: bits == 3 ? 1 : nil)
      }
    } + [
      closed("3 on a continuation", [Raw.frame(1, [0x20], isFinal: false), Raw.frame(0x40, request)]),
      answered("3.2 after a text", [Raw.frame(1, request), Raw.frame(0x21, request)], code: 1002),
    ]
  }

  // MARK: 4

  private static func opcodes(_ request: [UInt8]) -> [ConformanceCase] {
    (Array(UInt8(3)...7) + Array(0xB...0xF)).flatMap { opcode in
      [
        closed("4 opcode \(opcode)", [Raw.frame(opcode, [])]),
        closed("4 opcode \(opcode) with bytes", [Raw.frame(opcode, Array("reserved".utf8))]),
        answered("4 opcode \(opcode) after a text", [Raw.frame(1, request), Raw.frame(opcode, [])], code: 1002),
      ]
    }
  }

  // MARK: 5

  private static func fragments(_ request: [UInt8]) -> [ConformanceCase] {
    let half = request.count / 2
    let first = Raw.frame(1, Array(request[..<half]), isFinal: false, mask: [9, 8, 7, 6])
    let last = Raw.frame(0, Array(request[half...]), mask: [5, 4, 3, 2])
    let fifths = RawConnection.fragments(String(decoding: request, as: UTF8.self), of: request.count / 5 + 1)
    let (ping, pong) = (Raw.frame(9, [7]), Raw.frame(0xA, [7]))
    let between = fifths.enumerated().flatMap { $0.offset == 0 ? [$0.element] : [ping, $0.element] }
    let pongs = [[UInt8]](repeating: [7], count: fifths.count - 1)
    return [
      closed("5.1 a ping in fragments", [Raw.frame(9, [1], isFinal: false), Raw.frame(0, [2])]),
      closed("5.2 a pong in fragments", [Raw.frame(0xA, [1], isFinal: false), Raw.frame(0, [2])]),
      answered("5.3 two fragments", [first, last]),
      answered("5.5 two fragments byte by byte", [first, last], chop: 1),
      answered("5.6 a ping between them", [first, ping, last], pongs: [[7]]),
      answered("5.8 the same byte by byte", [first, ping, last], pongs: [[7]], chop: 1),
      answered("5.7 a pong between them", [first, pong, last]),
      closed("5.9 an end without a beginning", [Raw.frame(0, Array("x".utf8))]),
      closed("5.11 the same byte by byte", [Raw.frame(0, Array("x".utf8))], chop: 1),
      closed("5.12 a middle without a beginning", [Raw.frame(0, Array("x".utf8), isFinal: false)]),
      answered("5.15 an end after the end", [first, last, Raw.frame(0, [0x20])], code: 1002),
      closed("5.18 a text within a text", [first, Raw.frame(1, request)]),
      closed("5 bytes within a text", [first, Raw.frame(2, [1])]),
      answered("5.19 a ping between five", between, pongs: pongs),
      answered("5.20 the same byte by byte", between, pongs: pongs, chop: 1),
      answered(
        "5 empty fragments",
        [
          Raw.frame(1, [], isFinal: false), Raw.frame(0, [], isFinal: false),
          Raw.frame(0, request, isFinal: false), Raw.frame(0, []),
        ]),
      open("5 bytes in fragments", [Raw.frame(2, [0xFE], isFinal: false), Raw.frame(0, [0xFF])], request: request),
    ]
  }

  // MARK: 6

  /// Sequences that are UTF-8, at the ends of each length (6.5, 6.7, 6.9, 6.11, 6.22, 6.23).
  private static let valid: [[UInt8]] = [
    Array("Hello-µ@ßöäüàá-UTF-8!!".utf8), Array("κόσμε".utf8), [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80],
    [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0xBF, 0xBE],
  ]
  /// Sequences that are not: cut off, too long, surrogates, beyond U+10FFFF (6.3, 6.6, 6.8, 6.10, 6.12 to 6.21).
  private static let invalid: [[UInt8]] = [
    Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8), [0x80], [0xBF], [0x80, 0xBF], [0xCE],
    [0xCE, 0xBA, 0xE1], [0xCE, 0xBA, 0xE1, 0xBD], [0xC0], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80],
    [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80],
    [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
    [0xF7, 0xBF, 0xBF, 0xBF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  private static func texts(_ request: [UInt8]) -> [ConformanceCase] {
    let quote: [UInt8] = [0x22]
    // A JSON string is no request, but every dialect reads on after it.
    return valid.flatMap { bytes in
      [
        open("6 \(hex(bytes))", [Raw.frame(1, quote + bytes + quote)], request: request),
        open("6 \(hex(bytes)) byte by byte", singly(quote + bytes + quote), request: request),
      ]
    }
      + invalid.flatMap { bytes in
        [
          closed("6 \(hex(bytes))", [Raw.frame(1, bytes)], 1007),
          closed("6 \(hex(bytes)) byte by byte", singly(bytes), 1007, chop: 1),
        ]
      }
  }

  /// A text in fragments of one byte.
  private static func singly(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.enumerated().map { index, byte in
      Raw.frame(index == 0 ? 1 : 0, [byte], isFinal: index == bytes.count - 1, mask: [byte, 1, 2, 3])
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String($0, radix: 16) }.joined(separator: " ") }

  // MARK: 7

  private static func closes(_ request: [UInt8]) -> [ConformanceCase] {
    func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
      Raw.frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }
    let reason = [UInt8](repeating: 0x2A, count: 123)
    return [
      answered("7.1.1 a text and a close", [Raw.frame(1, request)]),
      closed("7.1.2 two closes", [close(1000), close(1001)], 1000),
      closed("7.1.3 a ping after the close", [close(1000), Raw.frame(9, [1])], 1000),
      closed("7.1.4 a text after the close", [close(1000), Raw.frame(1, request)], 1000),
      closed(
        "7.1.5 a close in a message", [Raw.frame(1, request, isFinal: false), close(1000), Raw.frame(0, [])], 1000),
      closed("7.3.1 a close without a code", [Raw.frame(8, [])], 1000),
      closed("7.3.2 a close of one byte", [Raw.frame(8, [0x03])]),
      closed("7.3.4 a close with a reason", [close(1000, Array("Größe".utf8))], 1000),
      closed("7.3.5 a reason of 123 bytes", [close(1000, reason)], 1000),
      closed("7.3.6 a reason of 124 bytes", [close(1000, reason + [0x2A])]),
      closed("7.5.1 a reason that is not UTF-8", [close(1000, [0xCE, 0xBA, 0xE1, 0xED, 0xA0, 0x80])], 1007),
      closed("7 a close in fragments", [Raw.frame(8, [0x03, 0xE8], isFinal: false)]),
    ]
      + [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map { code in
        closed("7.7 code \(code)", [close(code)], code)
      }
      + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { code in
        closed("7.9 code \(code)", [close(code)])
      }
  }

  // MARK: Masks and sizes, which Autobahn leaves out

  private static func masks(_ request: [UInt8]) -> [ConformanceCase] {
    [1, 2, 8, 9, 0xA].map { opcode in
      closed("5.1 opcode \(opcode) without a mask", [Raw.frame(opcode, opcode == 8 ? [3, 0xE8] : [], isMasked: false)])
    } + [
      closed(
        "5.1 a continuation without a mask",
        [Raw.frame(1, request, isFinal: false), Raw.frame(0, [], isMasked: false)]),
      answered("5.3 a mask", [Raw.frame(1, request, mask: [0xDE, 0xAD, 0xBE, 0xEF])]),
    ]
  }

  private static func sizes(_ request: [UInt8]) -> [ConformanceCase] {
    let half = [UInt8](repeating: 0x20, count: 131_073)
    let piece = Raw.frame(0, [0x20], isFinal: false)
    // Only the head, because no byte of it is waited for.
    let endless: [UInt8] = [0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0]
    let negative: [UInt8] = [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0]
    return [
      closed("a byte too many", [Raw.frame(1, half + half)], 1009),
      closed("the same in two fragments", [Raw.frame(1, half, isFinal: false), Raw.frame(0, half)], 1009),
      closed("the same, and no end", [Raw.frame(2, half, isFinal: false), Raw.frame(0, half, isFinal: false)], 1009),
      closed(
        "a fragment too many", [Raw.frame(1, [0x20], isFinal: false)] + [[UInt8]](repeating: piece, count: 255), 1009),
      closed("8 EiB", [endless], 1009),
      closed("a length with the highest bit", [negative], 1009),
      answered(
        "as many fragments as there may be",
        [Raw.frame(1, [], isFinal: false)] + [[UInt8]](repeating: piece, count: 254) + [Raw.frame(0, request)]),
    ]
  }
}
