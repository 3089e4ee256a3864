import Foundation
import Music
import Recording

/// The take that is exported, as it was when it was asked for.
struct ExportSource: Sendable {
  var take: Take
  var manifest: Manifest
  var cues: [Cue]
  /// Lossless versions of tracks.
  var lossless: LosslessTracks?

  /// The manifest with the tracks that `request` is made of.
  func manifest(for request: ExportWish) -> Manifest {
    guard request.source == .lossless, let lossless else { return manifest }
    return manifest.replacing(by: lossless)
  }

  /// A hash of everything that an export can show of the take: its files by their hashes, its names, its cues.
  ///
  /// - Parameter bytes: the manifest as it lies on the disk.
  func fingerprint(manifest bytes: [UInt8]) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var all = SHA256.hash(bytes)
    // Encoding what is Codable and has no odd numbers does not fail; were it to, the manifest's hash still counts.
    if let names = try? encoder.encode(take) { all += SHA256.hash(Array(names)) }
    if let cues = try? encoder.encode(cues) { all += SHA256.hash(Array(cues)) }
    // An archive has them too, whatever it is asked for.
    if let lossless, !lossless.tracks.isEmpty, let list = try? encoder.encode(lossless) {
      all += SHA256.hash(Array(list))
    }
    return SHA256.hash(all)
  }

  /// The identifier of what `request` makes of this take: the same for the same, whoever asks.
  func identifier(of request: ExportWish, manifest bytes: [UInt8]) -> String {
    let sum = SHA256.hash(fingerprint(manifest: bytes) + Array("\(take.id);\(request.text)".utf8))
    return sum.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
