// Arithmetic in this file is in range: a file has 2^60 bytes at most, and channels and rate are brought into range first.

import Music

/// What surrounds raw samples in a WAV file (RIFF; RF64, EBU Tech 3306, beyond 4 GiB), so that an upload can be sent as a
/// file that every program opens, without being copied.
package struct WaveHead: Sendable {
  /// The bytes before the samples.
  package let head: [UInt8]
  /// The bytes after them: chunks have an even length.
  package let tail: [UInt8]

  /// - Parameters:
  ///   - size: bytes of samples, 24 bits each, little-endian.
  ///   - channels: brought into the range of backups, as is the rate: both come from a file that anybody may have edited.
  ///   - rate: in Hz.
  package init(size: Int64, channels: Int, rate: Int) {
    let channels = min(max(channels, Backup.channelCounts.lowerBound), Backup.channelCounts.upperBound)
    let rate = min(max(rate, Backup.rates.lowerBound), Backup.rates.upperBound)
    let frame = channels * Backup.sampleBytes
    tail = size % 2 == 0 ? [] : [0]
    // "WAVE", the format with its head, the head of the samples.
    let around = Int64(4 + 24 + 8) + Int64(tail.count)
    let isLong = size + around > Int64(UInt32.max)
    var bytes: [UInt8] = []
    func append(_ text: String) { bytes += text.utf8 }
    func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    append(isLong ? "RF64" : "RIFF")
    append(isLong ? UInt32.max : UInt32(size + around))
    append("WAVE")
    if isLong {
      append("ds64")
      append(UInt32(28))
      append(UInt64(size + around + 36))
      append(UInt64(size))
      append(UInt64(size / Int64(frame)))
      append(UInt32(0))
    }
    append("fmt ")
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(channels))
    append(UInt32(rate))
    append(UInt32(rate * frame))
    append(UInt16(frame))
    append(UInt16(8 * Backup.sampleBytes))
    append("data")
    append(isLong ? UInt32.max : UInt32(size))
    head = bytes
  }
}
