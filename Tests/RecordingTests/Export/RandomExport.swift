import Foundation
import Music
import TestSupport

@testable import Recording

/// A take with random words in its song book, exported in a random way; equal seeds make equal exports.
struct RandomExport {
  /// Frames of the take.
  static let length: Int64 = 24_000

  let source: ExportSource
  let format: ExportFormat
  let rate: Int
  /// What is exported of the take.
  let range: Range<Int64>
  /// The words for the perspective.
  let perspective: String

  /// Letters that have led readers astray: quotation marks, brackets, signs of markup, several bytes, several scalars.
  private static let letters: [Character] =
    Array("abcXYZ 019\"'<>&=;\\/|%#,.()[]{}:*?!~^_-+@$") + ["é", "ß", "日", "🎷", "👩‍🚀", "e\u{301}", "–", "Ж", "ى", "…"]
  private static let roomLetters: [Character] = Array("abXY 09é日-_.~+@'()&!")

  /// - Parameter take: a take of `length` frames with the files of `manifest`.
  init(seed: UInt64, of take: Take, _ manifest: Manifest, format: ExportFormat) throws {
    var random = SeededRandom(seed)
    func text(_ most: Int, _ letters: [Character] = RandomExport.letters, bytes: Int = 1_000) -> String {
      var text = String(
        (0..<Int.random(in: 1...most, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
      while text.utf8.count > bytes { text.removeLast() }
      text = text.trimmingCharacters(in: .whitespaces)
      return text.isEmpty ? "x" : text
    }
    var take = take
    take.number = Int.random(in: 1...999, using: &random)
    take.room = try RoomName(checking: "R" + text(40, RandomExport.roomLetters))
    take.song = Song(id: SongID(at: take.startedAt), title: text(80))
    // At least 10 ms apart, so that each is a chapter.
    let places = (0..<50).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random)).sorted()
    let cues = places.map { place in
      Cue(
        id: CueID(at: take.startedAt),
        position: SamplePosition(Int64(place * 480 + Int.random(in: 0..<240, using: &random))),
        text: text(40, bytes: 96))
    }
    source = ExportSource(take: take, manifest: manifest, cues: cues, lossless: nil)
    self.format = format
    rate = format.rates.randomElement(using: &random) ?? 48_000
    let start = Int64.random(in: 0..<8_000, using: &random)
    range = Bool.random(using: &random) ? 0..<RandomExport.length : start..<start + 12_000
    perspective = "as \(text(30)) heard it"
  }

  var title: String { "\(source.take.song?.title ?? ""), \(perspective)" }
  var comment: String { "take \(source.take.number), \(source.take.id), \(perspective)" }

  /// The cues inside the file: positions in seconds from its beginning, and texts.
  var cues: [(seconds: Double, text: String)] {
    source.cues.filter { range.contains($0.position.samples) }
      .map { (Double($0.position.samples - range.lowerBound) / 48_000, $0.text) }
  }

  /// Exports into `folder`.
  func write(_ name: String, in folder: TakeFolder) throws {
    let mix = MixDown(of: folder, manifest: source.manifest(.take), cues: source.cues)
    _ = try mix.write(
      name, in: folder,
      settings: MixSettings(gain: -1, range: SamplePosition(range.lowerBound)..<SamplePosition(range.upperBound)),
      format: format, rate: rate, title: perspective, replaces: false)
  }
}
