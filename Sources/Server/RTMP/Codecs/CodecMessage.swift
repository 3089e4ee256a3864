/// What the service and a codec worker tell each other over two pipes.
///
/// A message is its length (32 bits, of what follows), its kind (8 bits) and its content. All numbers are
/// little-endian, as are the machines that Swift runs on.
enum CodecMessage: Hashable, Sendable {
  /// The sound that follows from one frame, from lost frames, or at the end of a stream.
  struct Sound: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
      /// A frame was decoded.
      case decoded
      /// A frame was not decodable: the samples are silence of its length.
      case undecodable
      /// Frames never came: the samples are silence of their length.
      case lost
      /// Samples that the resampler still held at the end.
      case rest
    }

    var kind: Kind
    /// Channels of the samples: 1 or 2; 0 before the first decoded frame.
    var channels: UInt8
    /// Channels of the frame before it was mixed down.
    var ownChannels: UInt8
    /// Samples of a frame, and their rate in Hz; 0 before the first decoded frame.
    var frameLength: UInt32
    var rate: UInt32
    /// Interleaved, at 48 kHz.
    var samples: [Float]
  }

  /// Begin a decoder with its configuration (for AAC its AudioSpecificConfig, for FLAC its STREAMINFO).
  case decoder(StreamCodec, configuration: [UInt8])
  /// Begin an encoder of AAC for stereo at 48 kHz.
  case encoder(bitsPerSecond: UInt32)
  /// The answer to either.
  case ready
  /// Work is impossible, for this reason.
  case refused(String)
  /// A frame to decode, or an encoded one.
  case frame([UInt8])
  /// Frames that never came.
  case lost(UInt32)
  /// The answer to a frame or to lost ones.
  case sound(Sound)
  /// Interleaved samples to encode.
  case samples([Float])

  private enum Kind: UInt8 {
    case decoder, encoder, ready, refused, frame, lost, sound, samples
  }

  /// Bytes of the longest message: the sound of the longest FLAC frame.
  static let longest = 4 << 20
  /// Most bytes taken of a reason.
  private static let longestReason = 500
  /// Bytes of a message before its kind.
  fileprivate static let lengthSize = 4

  /// The message as it goes through the pipe.
  var bytes: [UInt8] {
    var writer = Writer()
    switch self {
    case .decoder(let codec, let configuration):
      writer.begin(Kind.decoder.rawValue, content: 1 + configuration.count)
      writer.bytes.append(codec.rawValue)
      writer.bytes += configuration
    case .encoder(let rate):
      writer.begin(Kind.encoder.rawValue, content: 4)
      writer.add(rate)
    case .ready: writer.begin(Kind.ready.rawValue, content: 0)
    case .refused(let reason):
      writer.begin(Kind.refused.rawValue, content: reason.utf8.count)
      writer.bytes += reason.utf8
    case .frame(let frame):
      writer.begin(Kind.frame.rawValue, content: frame.count)
      writer.bytes += frame
    case .lost(let count):
      writer.begin(Kind.lost.rawValue, content: 4)
      writer.add(count)
    case .sound(let sound):
      writer.begin(Kind.sound.rawValue, content: 11 + 4 * sound.samples.count)
      writer.bytes += [sound.kind.rawValue, sound.channels, sound.ownChannels]
      writer.add(sound.frameLength)
      writer.add(sound.rate)
      writer.add(sound.samples)
    case .samples(let samples):
      writer.begin(Kind.samples.rawValue, content: 4 * samples.count)
      writer.add(samples)
    }
    return writer.bytes
  }

  /// Parses a message without its length; nil if it is none.
  fileprivate init?(_ body: ArraySlice<UInt8>) {
    guard let kind = body.first.flatMap(Kind.init) else { return nil }
    var reader = Reader(rest: body.dropFirst())
    switch kind {
    case .decoder:
      guard let codec = reader.u8().flatMap(StreamCodec.init) else { return nil }
      self = .decoder(codec, configuration: Array(reader.rest))
    case .encoder:
      guard let rate = reader.u32() else { return nil }
      self = .encoder(bitsPerSecond: rate)
    case .ready: self = .ready
    case .refused:
      // A sentence for a client and the log, of a worker that a stream may have taken over.
      let sentence = reader.rest.prefix(CodecMessage.longestReason).filter { $0 >= 0x20 && $0 != 0x7F }
      self = .refused(String(decoding: sentence, as: UTF8.self))
    case .frame: self = .frame(Array(reader.rest))
    case .lost:
      guard let count = reader.u32() else { return nil }
      self = .lost(count)
    case .sound:
      guard let kind = reader.u8().flatMap(Sound.Kind.init), let channels = reader.u8(), channels <= 2,
        let own = reader.u8(), let length = reader.u32(), let rate = reader.u32(), let samples = reader.samples(),
        channels > 0 || samples.isEmpty, samples.count % max(1, Int(channels)) == 0
      else { return nil }
      self = .sound(
        Sound(
          kind: kind, channels: channels, ownChannels: own, frameLength: length, rate: rate, samples: samples))
    case .samples:
      guard let samples = reader.samples() else { return nil }
      self = .samples(samples)
    }
  }
}

extension CodecMessage {
  private struct Writer {
    var bytes: [UInt8] = []

    mutating func begin(_ kind: UInt8, content: Int) {
      bytes.reserveCapacity(CodecMessage.lengthSize + 1 + content)
      add(UInt32(clamping: content + 1))
      bytes.append(kind)
    }

    mutating func add(_ number: UInt32) {
      for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func add(_ samples: [Float]) { samples.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func u8() -> UInt8? { rest.popFirst() }

    mutating func u32() -> UInt32? {
      guard rest.count >= 4 else { return nil }
      defer { rest = rest.dropFirst(4) }
      return rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// All that follows, as samples.
    func samples() -> [Float]? {
      guard rest.count % 4 == 0 else { return nil }
      return rest.withUnsafeBytes { bytes in
        [Float](unsafeUninitializedCapacity: bytes.count / 4) { samples, count in
          UnsafeMutableRawBufferPointer(samples).copyMemory(from: bytes)
          count = bytes.count / 4
        }
      }
    }
  }
}

/// Cuts the bytes of a pipe into messages.
struct CodecInbox {
  /// The other side sent what is no message. It has to be left alone: its next message has no known beginning.
  struct Nonsense: Error, CustomStringConvertible {
    var description: String { "the other side of a codec's pipe sent what is no message" }
  }

  private var pending: [UInt8] = []
  private var start = 0

  /// Adds bytes that were read.
  mutating func append(_ bytes: some Sequence<UInt8>) {
    // Read messages are removed here, once for each piece.
    pending.removeFirst(start)
    start = 0
    pending.append(contentsOf: bytes)
  }

  /// The next whole message, nil if more bytes are needed.
  mutating func next() throws(Nonsense) -> CodecMessage? {
    let rest = pending[start...]
    guard rest.count >= CodecMessage.lengthSize else { return nil }
    let length = Int(rest.prefix(CodecMessage.lengthSize).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    guard length > 0, length <= CodecMessage.longest else { throw Nonsense() }
    let body = rest.dropFirst(CodecMessage.lengthSize)
    guard body.count >= length else { return nil }
    guard let message = CodecMessage(body.prefix(length)) else { throw Nonsense() }
    start += CodecMessage.lengthSize + length
    return message
  }
}
