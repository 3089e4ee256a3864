import Hummingbird
import Machines
import Music
import NIOPosix
import Recording

/// The part of a sound file requested by `?start=&duration=`, in seconds from the take's zero.
struct SoundStretch {
  /// In seconds.
  let start: Double
  /// In seconds.
  let duration: Double

  static let names = ["start", "duration"]
  /// Longest stretch, because it is built in memory: a minute of stereo takes 17 MB meanwhile.
  private static let longest = 60.0
  /// Upper limit of positions: a hundred days, beyond every file and still exact to the sample.
  private static let latest = 8_640_000.0

  /// Nil for the whole file. If `start` is missing, it is 0; if `duration` is missing, it is a minute.
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
    // Excludes hexadecimal numbers and words, which Double would also read.
    guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let number = Double(text), isPermitted(number)
    else {
      throw Problem.invalid(
        name, value: text,
        name == "start"
          ? "\"start\" must be seconds from the take's zero, 0 or more"
          : "\"duration\" must be more than 0 and at most 60 seconds",
        permitted: [name == "start" ? "0…" : "0…60"])
    }
    return number
  }

  /// Reads the stretch out of `name` on NIO's threads for blocking work.
  ///
  /// - Parameter file: the same file; the stretch gets its validators, because both change together.
  /// - Throws: `Problem` if the file ends before `start`.
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
    let first = Int64(saturating: start * rate)
    guard first < reader.frameCount else {
      let length = Double(reader.frameCount) / rate
      throw Problem.invalid(
        "start", value: "\(start)", "the sound is \(length) s long; a stretch begins before its end",
        permitted: ["0…\(length)"])
    }
    // At least one sample, however short the requested duration.
    // in range: `first` lies in the file
    return first..<(first + min(reader.frameCount - first, max(1, Int64(saturating: duration * rate))))
  }
}
