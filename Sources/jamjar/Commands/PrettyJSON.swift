import Foundation
import Recording

/// JSON in the manifest's style: sorted keys, one member per line.
enum PrettyJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder.withInfinity()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
