import Foundation

/// JSON has no number for an unknown bound, which is infinite, or for the level of silence. Our files and the lines between our
/// processes have words for them, so that whatever contains a manifest can be written and read.
extension JSONEncoder {
  /// An encoder that writes `"inf"`, `"-inf"` and `"nan"`.
  package static func withInfinity() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder that reads them.
  package static func withInfinity() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
