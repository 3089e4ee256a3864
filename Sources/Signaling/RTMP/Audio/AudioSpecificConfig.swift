/// The beginning of AAC's configuration (ISO 14496-3 section 1.6.2.1).
package struct AudioSpecificConfig: Hashable, Sendable {
  /// The kind of AAC: 2 is LC, 5 SBR (HE-AAC), 29 SBR with parametric stereo.
  package var objectType: Int
  /// Samples a second, in Hz; of the core, if SBR doubles it.
  package var rate: Int
  /// The channel configuration: 1 mono, 2 stereo, 6 is 5.1; 0 if the stream itself tells.
  package var channels: Int

  /// True if SBR is announced.
  package var hasSpectralReplication: Bool { objectType == 5 || objectType == 29 }

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]
  /// The index for an explicit rate.
  private static let explicit = 15
  /// The object type for which six more bits follow.
  private static let escape = 31

  /// Nil if the bytes are not a configuration.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    var reader = Bits(bytes: bytes)
    guard var type = reader.take(5) else { return nil }
    if type == AudioSpecificConfig.escape {
      guard let more = reader.take(6) else { return nil }
      type = 32 &+ more
    }
    guard let index = reader.take(4) else { return nil }
    if index == AudioSpecificConfig.explicit {
      guard let given = reader.take(24), (7_350...96_000).contains(given) else { return nil }
      rate = given
    } else {
      guard AudioSpecificConfig.rates.indices.contains(index) else { return nil }
      rate = AudioSpecificConfig.rates[index]
    }
    guard let channels = reader.take(4) else { return nil }
    (objectType, self.channels) = (type, channels)
  }

  /// Bits from the front of some bytes, the highest first.
  private struct Bits {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func take(_ count: Int) -> Int? {
      guard place &+ count <= bytes.count &* 8 else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(bytes[place >> 3] >> UInt8(7 &- place & 7)) & 1
        place &+= 1
      }
      return value
    }
  }
}
