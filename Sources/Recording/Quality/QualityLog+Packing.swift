import Music

/// Checkpoints hold readings as numbers, not as text: 128 bytes each, which nothing has to parse. So no number of an altered
/// journal keeps a checkpoint from being written either, as JSON has no infinity.
extension QualityLog.Entry {
  /// Numbers of one entry.
  private static let width = 16

  /// The entries of a track, one behind the other.
  struct List: Codable {
    var entries: [QualityLog.Entry] = []

    init() {}

    init(from decoder: any Decoder) throws {
      let words = try Packed<UInt64>(from: decoder).values
      let width = QualityLog.Entry.width
      guard words.count.isMultiple(of: width) else {
        let problem = "\(words.count) numbers are no whole number of readings"
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
      }
      for start in stride(from: 0, to: words.count, by: width) {
        var reader = Words(words: words[start..<(start &+ width)])
        entries.append(QualityLog.Entry(&reader))
      }
    }

    func encode(to encoder: any Encoder) throws {
      try Packed(entries.flatMap(\.words)).encode(to: encoder)
    }
  }

  /// Takes numbers from the front. The first says which of the optional ones are there.
  private struct Words {
    private var rest: ArraySlice<UInt64>
    private var present: UInt64
    private var bit: UInt64 = 1

    init(words: ArraySlice<UInt64>) {
      rest = words.dropFirst()
      present = words.first ?? 0
    }

    mutating func word() -> UInt64 { rest.popFirst() ?? 0 }
    mutating func whole() -> Int { Int(truncatingIfNeeded: word()) }
    mutating func number() -> Double { Double(bitPattern: word()) }

    mutating func isPresent() -> Bool {
      defer { bit &<<= 1 }
      return present & bit != 0
    }

    mutating func optional<Value>(_ read: (inout Words) -> Value) -> Value? {
      let isPresent = isPresent()
      let value = read(&self)
      return isPresent ? value : nil
    }
  }

  private init(_ reader: inout Words) {
    end = Int64(bitPattern: reader.word())
    reading = QualityReading(
      duration: reader.number(), expected: reader.whole(), missed: reader.whole(), lost: reader.whole(),
      concealed: reader.whole())
    reading.roundTrip = reader.optional { $0.number() }
    reading.jitter = reader.optional { $0.number() }
    reading.dbfs = reader.optional { $0.number() }
    let isHeard = reader.isPresent()
    var heard = HeardQuality()
    heard.roundTrip = reader.optional { $0.number() }
    heard.jitter = reader.optional { $0.number() }
    heard.dbfs = reader.optional { $0.number() }
    heard.received = reader.optional { $0.whole() }
    heard.lost = reader.optional { $0.whole() }
    heard.concealed = reader.optional { $0.whole() }
    reading.heard = isHeard ? heard : nil
  }

  fileprivate var words: [UInt64] {
    let heard = reading.heard
    let numbers = [reading.roundTrip, reading.jitter, reading.dbfs]
    let heardNumbers = [heard?.roundTrip, heard?.jitter, heard?.dbfs]
    let heardCounts = [heard?.received, heard?.lost, heard?.concealed]
    var present: [Bool] = numbers.map { $0 != nil } + [heard != nil]
    present += heardNumbers.map { $0 != nil }
    present += heardCounts.map { $0 != nil }
    var mask: UInt64 = 0
    for (place, isPresent) in present.enumerated() where isPresent { mask |= 1 &<< UInt64(place) }
    var words: [UInt64] = [mask, UInt64(bitPattern: end), reading.duration.bitPattern]
    words += [reading.expected, reading.missed, reading.lost, reading.concealed].map { UInt64(truncatingIfNeeded: $0) }
    words += (numbers + heardNumbers).map { ($0 ?? 0).bitPattern }
    words += heardCounts.map { UInt64(truncatingIfNeeded: $0 ?? 0) }
    return words
  }
}
