import ArgumentParser
import Music

/// A time on the command line: RFC 3339, or a date, month or year, which stands for its first midnight (UTC).
struct InstantArgument: Sendable {
  let time: WallTime

  /// - Throws: `ValidationError` that says what is permitted.
  @Sendable init(_ text: String) throws {
    let endings = ["", "T00:00:00Z", "-01T00:00:00Z", "-01-01T00:00:00Z"]
    guard let time = endings.lazy.compactMap({ WallTime(text + $0) }).first else {
      throw ValidationError(
        "permitted: a year (2026), a month (2026-11), a date (2026-11-21) or a time (2026-11-21T20:15:00Z)")
    }
    self.time = time
  }
}

/// A place on a take's time line on the command line, in seconds: "83.5" or "1:23.5".
enum PlaceArgument {
  /// - Throws: `ValidationError` that says what is permitted.
  @Sendable static func seconds(_ text: String) throws -> Double {
    guard let seconds = MixWords.time(text)?.seconds else {
      throw ValidationError("permitted: 0 or more seconds (83.5), or minutes and seconds (1:23.5)")
    }
    return seconds
  }
}
