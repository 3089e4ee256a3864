/// The metadata of a sound file as an ID3v2.4 tag in UTF-8 (id3.org, id3v2.4.0-structure and -frames).
///
/// libsndfile writes the texts of MP3 as Latin-1 and those of WAV without an encoding, so that "Café" becomes "CafÃ©".
enum ID3Tag {
  /// Bytes before the frames.
  private static let head = 10

  /// The whole tag, a multiple of four bytes long; empty if there are no tags.
  static func bytes(of tags: SoundFileTags) -> [UInt8] {
    let texts = [
      ("TIT2", tags.title), ("TPE1", tags.artist), ("TALB", tags.album),
      ("TRCK", tags.trackNumber.map(String.init) ?? ""), ("TDRC", tags.date), ("TSSE", tags.software),
    ]
    var frames: [UInt8] = []
    for (name, text) in texts where !text.isEmpty { frames += frame(name, utf8 + bytes(of: text)) }
    // A comment also has a language and a description, which ends with a zero.
    if !tags.comment.isEmpty { frames += frame("COMM", utf8 + Array("eng".utf8) + [0] + bytes(of: tags.comment)) }
    guard !frames.isEmpty else { return [] }
    // Zeros behind the frames are the tag's padding.
    frames += [UInt8](repeating: 0, count: (4 - (head + frames.count) % 4) % 4)
    return Array("ID3".utf8) + [4, 0, 0] + size(frames.count) + frames
  }

  /// The byte that announces UTF-8.
  private static let utf8: [UInt8] = [3]

  private static func frame(_ name: String, _ contents: [UInt8]) -> [UInt8] {
    Array(name.utf8) + size(contents.count) + [0, 0] + contents
  }

  private static func bytes(of text: String) -> [UInt8] { text.utf8.filter { $0 != 0 } }

  /// A size in four bytes of seven bits, none of which looks like the beginning of an MP3 frame.
  private static func size(_ count: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: count >> $0) & 0x7F }
  }
}
