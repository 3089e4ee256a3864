import Foundation

/// Writes the WAV files that stand in for microphones.
enum WaveFile {
  /// Writes 16-bit PCM (Chromium plays 24 bit as silence) and answers the samples as they were rounded.
  @discardableResult
  static func write(_ sound: Sound, to path: String) throws -> [[Int16]] {
    let rounded = sound.channels.map { $0.map { Int16(clamping: Int(($0 * 32_768).rounded())) } }
    var body: [UInt8] = []
    body.reserveCapacity(sound.frames * rounded.count * 2)
    for frame in 0..<sound.frames {
      for channel in rounded { append(UInt16(bitPattern: channel[frame]), to: &body) }
    }
    var file = Array("RIFF".utf8)
    append(UInt32(clamping: 36 + body.count), to: &file)
    file += Array("WAVEfmt ".utf8)
    append(UInt32(16), to: &file)
    append(UInt16(1), to: &file)
    append(UInt16(clamping: rounded.count), to: &file)
    append(UInt32(clamping: sound.rate), to: &file)
    append(UInt32(clamping: sound.rate * rounded.count * 2), to: &file)
    append(UInt16(clamping: rounded.count * 2), to: &file)
    append(UInt16(16), to: &file)
    file += Array("data".utf8)
    append(UInt32(clamping: body.count), to: &file)
    try Data(file + body).write(to: URL(fileURLWithPath: path))
    return rounded
  }

  /// Reads 16-bit PCM, the data chunk of which goes to the end of the file.
  static func read(_ path: String) throws -> Sound {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard bytes.count > 44, let data = bytes.firstRange(of: Array("data".utf8)) else {
      throw EndToEndFailure("\(path) is no WAV file")
    }
    let channels = Int(bytes[22])
    let rate = Int(bytes[24]) | Int(bytes[25]) << 8 | Int(bytes[26]) << 16
    let body = bytes[(data.upperBound + 4)...]
    let samples = stride(from: body.startIndex, to: body.endIndex - 1, by: 2).map { place in
      Float(Int16(bitPattern: UInt16(body[place]) | UInt16(body[place + 1]) << 8)) / 32_768
    }
    return Sound(rate: rate, interleaved: samples, channels: channels)
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
