import Testing

@testable import Signaling

@Suite struct AudioSpecificConfigTests {
  @Test func theUsualOnesAreRead() throws {
    let stereo = try #require(AudioSpecificConfig([0x11, 0x90]))
    #expect(stereo.objectType == 2 && stereo.rate == 48_000 && stereo.channels == 2)
    #expect(!stereo.hasSpectralReplication)
    let mono = try #require(AudioSpecificConfig([0x12, 0x08, 0x56, 0xE5, 0x00]))
    #expect(mono.objectType == 2 && mono.rate == 44_100 && mono.channels == 1)
    // HE-AAC: SBR over a core of 24 kHz.
    let doubled = try #require(AudioSpecificConfig([0x2B, 0x11, 0x88, 0x00]))
    #expect(doubled.objectType == 5 && doubled.rate == 24_000 && doubled.hasSpectralReplication)
  }

  @Test func anExplicitRateIsRead() throws {
    // Object type 2, index 15, 24 bits of 50,000 Hz, 2 channels.
    let bits: UInt64 = 2 << 59 | 15 << 55 | 50_000 << 31 | 2 << 27
    let bytes = stride(from: 56, through: 24, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    #expect(AudioSpecificConfig(bytes)?.rate == 50_000)
    #expect(AudioSpecificConfig(bytes)?.channels == 2)
    #expect(AudioSpecificConfig(Array(bytes.prefix(4))) == nil)
  }

  @Test(arguments: [[], [0x11], [0xFF, 0xFF], [0x16, 0x90], [0x17, 0xFF, 0xFF, 0xFF, 0xFF]])
  func whatIsNoConfigurationIsNone(bytes: [UInt8]) {
    #expect(AudioSpecificConfig(bytes) == nil)
  }
}
