import Server

/// Room and speed of the data folder.
enum DiskCheck {
  struct Reading: Hashable, Sendable {
    /// Bytes free for this user.
    var free: Int64
    /// Bytes written and brought to the disk in a second; nil if that could not be measured.
    var speed: Double?
    /// Longest time to bring a small write to the disk, in milliseconds.
    var slowest: Double?
  }

  enum Outcome: Hashable, Sendable {
    case read(Reading)
    /// The folder cannot be written: why.
    case refused(String)
  }

  /// What a musician's track and the mix take, journal and FLAC together, in bytes a second.
  private static let rate = 250_000.0
  /// Hours of music under which the disk is full, or nearly.
  private static let leastHours = 1.0
  private static let fewHours = 10.0
  /// Bytes a second that a full room with its render needs, with a reserve.
  private static let leastSpeed = 2e6
  private static let fairSpeed = 2e7
  /// Milliseconds that a journal may wait without anybody noticing.
  private static let longWait = 1_000.0

  /// - Parameter capacity: musicians in a room.
  static func findings(_ outcome: Outcome, folder: String, capacity: Int) -> [Finding] {
    guard case .read(let reading) = outcome else {
      guard case .refused(let reason) = outcome else { return [] }
      return [
        Finding(
          .disk, .failure, "The data folder \(folder) cannot be written: \(reason).",
          remedy: "Give it to the service's user (chown -R jamjar: \(folder)), or name another with --data.")
      ]
    }
    return [room(reading, folder, capacity)] + speed(reading, folder)
  }

  private static func room(_ reading: Reading, _ folder: String, _ capacity: Int) -> Finding {
    let hours = Double(reading.free) / (rate * Double(capacity + 1) * 3_600)
    let sentence =
      "The disk of \(folder) has \(Reading.gigabytes(reading.free)) GB free, some \(Int(min(hours, 1e6))) hours of a full room."
    guard hours < fewHours else { return Finding(.disk, .ok, sentence) }
    return Finding(
      .disk, hours < leastHours ? .failure : .warning, sentence,
      remedy:
        "Make room: jamjar retention shows what may go, --objects moves finished takes to a store, --data names a "
        + "larger disk.")
  }

  private static func speed(_ reading: Reading, _ folder: String) -> [Finding] {
    guard let speed = reading.speed, let slowest = reading.slowest else { return [] }
    let sentence =
      "It takes \(Int(speed / 1e6)) MB in a second, and a small write in \(Int(slowest.rounded(.up))) ms at most."
    guard speed < fairSpeed || slowest > longWait else { return [Finding(.disk, .ok, sentence)] }
    return [
      Finding(
        .disk, speed < leastSpeed ? .failure : .warning, sentence,
        remedy: "Use a disk of this machine: network folders and memory cards are too slow for several musicians.")
    ]
  }
}

extension DiskCheck.Reading {
  fileprivate static func gigabytes(_ bytes: Int64) -> String {
    let tenths = bytes / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
