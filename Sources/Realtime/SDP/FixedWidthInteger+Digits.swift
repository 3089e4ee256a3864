extension FixedWidthInteger {
  /// The number that `text` writes in plain decimal digits, or nil: no sign, no blank, no overflow.
  ///
  /// `Int(_:)` takes "+5" and "-0" as well, which the grammars of RFC 8866 and RFC 8839 do not.
  init?(digits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    self.init(text, radix: 10)
  }
}
