import Foundation
import Music
import Recording

/// A requested export, with everything needed to make it.
struct ExportOrder: Sendable, Codable {
  var request: ExportWish
  var source: ExportSource
}

extension ExportSource {
  /// A hash of everything in the take that can affect an export: file hashes, names and cues.
  ///
  /// - Parameter bytes: the manifest as stored on disk.
  func fingerprint(manifest bytes: [UInt8]) -> [UInt8] {
    let encoder = JSONEncoder.withInfinity()
    encoder.outputFormatting = .sortedKeys
    var all = SHA256.hash(bytes)
    // Encoding cannot fail; if it did, the manifest's hash would still count.
    if let names = try? encoder.encode(take) { all += SHA256.hash(Array(names)) }
    if let cues = try? encoder.encode(cues) { all += SHA256.hash(Array(cues)) }
    // An archive always contains them, too.
    if let lossless, !lossless.tracks.isEmpty, let list = try? encoder.encode(lossless) {
      all += SHA256.hash(Array(list))
    }
    return SHA256.hash(all)
  }

  /// The identifier of `request` for this take: equal requests have equal identifiers, for all clients.
  func identifier(of request: ExportWish, manifest bytes: [UInt8]) -> String {
    let sum = SHA256.hash(fingerprint(manifest: bytes) + Array("\(take.id);\(request.text)".utf8))
    return sum.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
