import Glibc
import Testing

@testable import Recording

@Suite struct LinearInputTests {
  /// A tone of half scale, in bytes.
  private func tone(_ seconds: Double, rate: Int, channels: Int) -> [UInt8] {
    (0..<Int(seconds * Double(rate))).flatMap { (index: Int) -> [UInt8] in
      let sample = Int16(16_384 * sin(2 * Double.pi * 500 * Double(index) / Double(rate)))
      let bytes = [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      return [[UInt8]](repeating: bytes, count: channels).flatMap(\.self)
    }
  }

  /// The root mean square of what the packets hold, in the middle.
  private func level(_ packets: [[UInt8]], channels: Int) throws -> Float {
    let decoder = try OpusDecoder(channels: channels)
    var samples: [Float] = []
    var block = [Float](repeating: 0, count: 5_760 * channels)
    for packet in packets {
      let frames = try block.withUnsafeMutableBufferPointer { try decoder.decode(packet[...], into: $0) }
      #expect(frames == 960)
      samples += block.prefix(frames * channels)
    }
    let middle = samples.dropFirst(samples.count / 4).dropLast(samples.count / 4)
    return (middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)).squareRoot()
  }

  @Test(arguments: [8_000, 16_000, 24_000, 48_000], [1, 2])
  func soundInOddPiecesIsWhole(rate: Int, channels: Int) throws {
    var input = try LinearInput(rate: rate, channels: channels)
    var sound = tone(1, rate: rate, channels: channels)[...]
    while !sound.isEmpty {
      input.add(sound.prefix(333))
      sound = sound.dropFirst(333)
    }
    var packets: [[UInt8]] = []
    for _ in 0..<50 { packets.append(try input.packet()) }
    #expect(abs(try level(packets, channels: channels) - 0.3536) < 0.02)
    #expect(input.lostBytes == 0)
  }

  @Test func whereNothingWaitsThereIsSilence() throws {
    var input = try LinearInput(rate: 16_000, channels: 1)
    // Half a sample is none.
    input.add([7])
    var packets: [[UInt8]] = []
    for _ in 0..<20 { packets.append(try input.packet()) }
    #expect(try level(packets, channels: 1) < 1e-4)
  }

  @Test func moreThanThirtySecondsDoNotWait() throws {
    var input = try LinearInput(rate: 8_000, channels: 1)
    input.add([UInt8](repeating: 0, count: 16_000 * 31))
    #expect(input.lostBytes == 16_000)
  }
}
