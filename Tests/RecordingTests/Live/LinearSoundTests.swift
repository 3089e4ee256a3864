import Glibc
import Testing

@testable import Recording

/// Linear sound from the packets of a mix, as programs of others read it.
@Suite struct LinearSoundTests {
  /// Two seconds of tones, other ones left (440 Hz) and right (660 Hz), as packets of 20 ms.
  private static func packets() throws -> [[UInt8]] {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 192_000, complexity: 5))
    return try (0..<100).map { (packet: Int) throws -> [UInt8] in
      let sound = (0..<1_920).map { (index: Int) -> Float in
        let time = Double(packet * 960 + index / 2) / 48_000
        let frequency: Double = index.isMultiple(of: 2) ? 440 : 660
        return Float(0.4 * sin(2 * Double.pi * frequency * time))
      }
      return try encoder.encode(sound)
    }
  }

  private static func samples(_ bytes: [UInt8]) -> [Double] {
    stride(from: 0, to: bytes.count - 1, by: 2).map { (index: Int) -> Double in
      let bits = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
      return Double(Int16(bitPattern: bits)) / 32_768
    }
  }

  /// How loud a tone is in the last second, as its amplitude.
  private static func level(_ frequency: Double, in samples: [Double], rate: Int) -> Double {
    let part = samples.suffix(rate)
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in part.enumerated() {
      let angle: Double = 2 * Double.pi * frequency * Double(index) / Double(rate)
      real += sample * cos(angle)
      imaginary += sample * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(part.count)
  }

  private func sound(rate: Int, channels: Int) throws -> [[UInt8]] {
    var linear = try LinearSound(rate: rate, channels: channels)
    var pieces: [[UInt8]] = []
    for (index, packet) in try LinearSoundTests.packets().enumerated() {
      pieces += linear.pieces(of: packet, at: Int64(index * 960))
    }
    #expect(pieces.allSatisfy { $0.count == linear.pieceSize })
    return pieces
  }

  @Test(arguments: [8_000, 16_000, 24_000, 48_000]) func monoHasBothSidesAtEveryRate(rate: Int) throws {
    let pieces = try sound(rate: rate, channels: 1)
    #expect(pieces.count == 100 && pieces[0].count == rate / 25)
    let samples = LinearSoundTests.samples(pieces.flatMap { $0 })
    for tone in [440.0, 660] {
      #expect(abs(LinearSoundTests.level(tone, in: samples, rate: rate) - 0.2) < 0.02, "\(tone) at \(rate)")
    }
    #expect(LinearSoundTests.level(550, in: samples, rate: rate) < 0.01)
  }

  @Test func stereoKeepsItsSidesApart() throws {
    let samples = LinearSoundTests.samples(try sound(rate: 48_000, channels: 2).flatMap { $0 })
    let sides = (0..<2).map { side in stride(from: side, to: samples.count, by: 2).map { samples[$0] } }
    #expect(abs(LinearSoundTests.level(440, in: sides[0], rate: 48_000) - 0.4) < 0.03)
    #expect(abs(LinearSoundTests.level(660, in: sides[1], rate: 48_000) - 0.4) < 0.03)
    #expect(LinearSoundTests.level(660, in: sides[0], rate: 48_000) < 0.02)
  }

  @Test func timeWithoutPacketsIsSilenceOfItsLength() throws {
    let packets = try LinearSoundTests.packets()
    var linear = try LinearSound(rate: 16_000, channels: 1)
    var count = linear.pieces(of: packets[0], at: 0).count
    // 100 ms are missing.
    count += linear.pieces(of: packets[1], at: 5_760).count
    #expect(count == 7)
    // Hours are no silence of hours.
    let later = linear.pieces(of: packets[2], at: .max - 960)
    #expect(later.count == 251)
  }

  @Test func aDamagedPacketIsSilence() throws {
    let packets = try LinearSoundTests.packets()
    var linear = try LinearSound(rate: 16_000, channels: 1)
    _ = linear.pieces(of: packets[0], at: 0)
    #expect(linear.pieces(of: [], at: 960).isEmpty)
    // What it would have been is there when the next one comes.
    #expect(linear.pieces(of: packets[2], at: 1_920).count == 2)
  }
}
