/// What an AudioSpecificConfig says of an AAC stream (ISO 14496-3 section 1.6.2.1), as far as its clock goes.
struct AACConfiguration: Hashable {
  /// Samples a second, in Hz.
  var rate: Int

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]
  /// The index that says that the rate itself follows.
  private static let explicit = 15

  /// Nil where the bytes are no configuration.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - min(8, bytes.count)))
    // Object types above 30 take six bits more.
    let offset: UInt64 = bits >> 59 == 31 ? 11 : 5
    let index = Int((bits << offset) >> 60)
    if index == AACConfiguration.explicit {
      let rate = Int((bits << (offset + 4)) >> 40)
      guard bytes.count >= 5, (7_350...96_000).contains(rate) else { return nil }
      self.rate = rate
    } else {
      guard AACConfiguration.rates.indices.contains(index) else { return nil }
      rate = AACConfiguration.rates[index]
    }
  }
}
