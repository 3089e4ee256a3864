import Foundation

/// Writes the WAV files that stand in for microphones.
enum WaveFile {
  /// Writes 16-bit PCM (Chromium plays 24 bit as silence) and answers the samples as they were rounded.
  @discardableResult
  static func write(_ sound: Sound, to path: String) throws -> [[Int16]] {
    let rounded = sound.channels.map { integers($0) }
    let body = interleaved(rounded, frames: sound.frames)
    var file = Array("RIFF".utf8)
    append(UInt32(clamping: 36 + 2 * body.count), to: &file)
    file += Array("WAVEfmt ".utf8)
    append(UInt32(16), to: &file)
    append(UInt16(1), to: &file)
    append(UInt16(clamping: rounded.count), to: &file)
    append(UInt32(clamping: sound.rate), to: &file)
    append(UInt32(clamping: sound.rate * rounded.count * 2), to: &file)
    append(UInt16(clamping: rounded.count * 2), to: &file)
    append(UInt16(16), to: &file)
    file += Array("data".utf8)
    append(UInt32(clamping: 2 * body.count), to: &file)
    let samples = body.withUnsafeBytes { Data($0) }
    try (Data(file) + samples).write(to: URL(fileURLWithPath: path))
    return rounded
  }

  // Plain loops over memory, here and in Sound: tests are built without optimisation, and a minute of stereo took seconds.

  private static func integers(_ samples: [Float]) -> [Int16] {
    [Int16](unsafeUninitializedCapacity: samples.count) { places, count in
      samples.withUnsafeBufferPointer { samples in
        var index = 0
        while index < samples.count {
          let value = (samples[index] * 32_768).rounded()
          places[index] = value >= 32_767 ? .max : value <= -32_768 ? .min : Int16(value)
          index += 1
        }
      }
      count = samples.count
    }
  }

  /// As they stand in the file.
  private static func interleaved(_ channels: [[Int16]], frames: Int) -> [Int16] {
    let step = channels.count
    return [Int16](unsafeUninitializedCapacity: frames * step) { places, count in
      for (channel, samples) in channels.enumerated() {
        samples.withUnsafeBufferPointer { samples in
          var index = 0
          while index < frames {
            places[index * step + channel] = samples[index].littleEndian
            index += 1
          }
        }
      }
      count = frames * step
    }
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
