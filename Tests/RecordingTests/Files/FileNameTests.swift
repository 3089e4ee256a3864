import Music
import TestSupport
import Testing

@testable import Recording

struct FileNameTests {
  @Test(arguments: [
    ("Blue Train", "Blue-Train"), ("Zoë Ünal", "Zoe-Unal"), ("../../etc/passwd", "etc-passwd"), ("a/b\\c", "a-b-c"),
    ("  --  ", "none"), ("日本語", "none"), ("🎷", "none"), (".hidden", "hidden"), ("Straße", "Strasse"),
    ("O'Brien", "OBrien"), ("ｆｕｌｌ　ｗｉｄｔｈ", "full-width"), ("trailing...", "trailing"), ("a\u{0}b", "a-b"),
    ("\u{202E}gpj.exe", "gpj-exe"), ("snake_case-and-dash", "snake_case-and-dash"), ("№ 1", "No-1"),
  ])
  func keepsWhatEverySystemTakes(text: String, expected: String) {
    #expect(FileName.portable(text, fallback: "none") == expected)
  }

  @Test func isNeverTooLong() {
    let long = String(repeating: "ä", count: 255)
    #expect(FileName.portable(long, fallback: "none").utf8.count == FileName.maximumLength)
    #expect(FileName.distinct(long, fallback: "none").utf8.count == FileName.maximumLength + 9)
  }

  @Test func differentTextsGetDifferentNames() {
    let texts = ["Café", "Cafe", "cafe!", "日本", "中国", "🎷", "🎺", "CON", "con", "a.b", "a-b"]
    #expect(Set(texts.map { FileName.distinct($0, fallback: "song") }).count == texts.count)
    #expect(FileName.distinct("Blue Train", fallback: "song") == "Blue-Train")
    #expect(FileName.distinct("日本", fallback: "song").hasPrefix("song-"))
  }

  @Test(arguments: ["CON", "nul", "Aux", "PRN", "com1", "LPT9"])
  func aNameThatWindowsReservesIsChanged(text: String) {
    #expect(FileName.distinct(text, fallback: "room") != text)
  }

  @Test func aThousandRandomTextsBecomePortableNames() {
    var generator = SeededRandom(3)
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
    for _ in 0..<1_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x2_FFFF, using: &generator)) {
          text.unicodeScalars.append(scalar)
        }
      }
      let name = FileName.distinct(text, fallback: "none")
      #expect(name.allSatisfy { allowed.contains($0) } && !name.isEmpty && name.first != "-")
      #expect(FileComponent.isSafe(name))
    }
  }

  @Test func takesAreSortedByRoomSessionAndNumber() throws {
    let take = try JournalSamples.take()
    #expect(take.folder == "Studio/2026-11-21-000002/03-Blue-Train")
    #expect(TakeFolder.relativePath(for: try JournalSamples.take(number: 12, song: nil)).hasSuffix("/12-untitled"))
  }

  @Test func tracksAreCalledByNumberMusicianAndPart() throws {
    let zoe = try JournalSamples.name("Zoë 🎷")
    #expect(
      TakeFolder.trackName(number: 1, participant: zoe, part: "tenor sax", ending: "flac") == "01-Zoe-tenor-sax.flac")
    #expect(TakeFolder.trackName(number: 2, participant: zoe, part: nil, ending: "wav") == "02-Zoe.wav")
    #expect(TakeFolder.trackName(number: 10, participant: zoe, part: "../..", ending: "wav") == "10-Zoe-part.wav")
    #expect(TakeFolder.peaksName(for: "01-Zoe.flac") == "01-Zoe.peaks.dat")
  }
}
