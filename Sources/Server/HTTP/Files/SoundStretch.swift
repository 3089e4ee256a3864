import Hummingbird
import Music
import NIOPosix
import Recording

/// The part of a sound file that `?start=&duration=` asks for, in seconds from the take's zero.
struct SoundStretch {
  /// In seconds.
  let start: Double
  /// In seconds.
  let duration: Double

  static let names = ["start", "duration"]
  /// So much is made in memory at once: a minute of stereo is 17 MB while it is made.
  private static let longest = 60.0
  /// Nothing in a file lies beyond, and whole samples up to here are exact: a hundred days.
  private static let latest = 8_640_000.0

  /// Nil where the whole file is wanted; one of the two alone means from the beginning, or a minute.
  init?(_ request: Request) throws(Problem) {
    let texts = SoundStretch.names.map { request.query($0) }
    guard texts.contains(where: { $0 != nil }) else { return nil }
    start = try SoundStretch.seconds("start", request.query("start"), else: 0) { $0 >= 0 && $0 <= SoundStretch.latest }
    duration = try SoundStretch.seconds("duration", request.query("duration"), else: SoundStretch.longest) {
      $0 > 0 && $0 <= SoundStretch.longest
    }
  }

  private static func seconds(
    _ name: String, _ text: String?, else usual: Double, _ isPermitted: (Double) -> Bool
  ) throws(Problem) -> Double {
    guard let text else { return usual }
    // Not the hexadecimal numbers and the words that Double reads too.
    guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let number = Double(text), isPermitted(number)
    else {
      throw Problem.invalid(
        name, value: text,
        name == "start"
          ? "\"start\" must be seconds from the take's zero on"
          : "\"duration\" must be more than 0 and at most 60 seconds",
        permitted: [name == "start" ? "0…" : "0…60"])
    }
    return number
  }

  /// Reads the stretch out of `name` on NIO's threads for blocking work.
  ///
  /// - Parameter file: the same file, whose validators the stretch gets: it changes when the file does.
  /// - Throws: `Problem` where the file has ended before `start`.
  func contents(of file: RecordedFile, name: String, in take: Take, of root: String) async throws -> DerivedContents {
    let (bytes, range) = try await NIOThreadPool.singleton.runIfActive {
      let reader = try SoundFileReader(name, in: TakeFolder(existing: take.folder, in: root))
      let range = try frames(of: reader)
      return (try SoundFileStretch.flac(range, of: reader), range)
    }
    let tag = EntityTag("\(file.tag.value)-\(range.lowerBound)-\(range.count)")
    return DerivedContents(bytes: bytes, modified: file.modified, tag: tag)
  }

  private func frames(of reader: SoundFileReader) throws(Problem) -> Range<Int64> {
    let rate = Double(reader.rate)
    let first = Int64((start * rate).rounded())
    guard first < reader.frameCount else {
      let length = Double(reader.frameCount) / rate
      throw Problem.invalid(
        "start", value: "\(start)", "the sound is \(length) s long; a stretch begins before its end",
        permitted: ["0…\(length)"])
    }
    // At least one sample, however short the wish.
    return first..<min(reader.frameCount, first + max(1, Int64((duration * rate).rounded())))
  }
}
