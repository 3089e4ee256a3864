/// What the sender itself says about its clocks: sender reports (RFC 3550 section 6.4.1) and abs-capture-time.
///
/// A reference ties an instant of the sender's NTP clock to an RTP time. The pairs show steps of the RTP clock that
/// arrivals alone would hide in the network's waiting, and a report's arrival shows how long audio waits in the sender.
struct CaptureReferences: Sendable {
  /// Where a pair comes from.
  enum Source: Hashable, Sendable {
    case senderReport
    case absoluteCaptureTime

    /// Smallest step that is believed, in seconds; reports of some senders scatter by tens of milliseconds.
    /// Chromium's capture times lie on a line within 0.01 ms, and it sends one at once when a device's block of 10 ms
    /// was left out.
    var leastStep: Double {
      switch self {
      case .senderReport: 0.04
      case .absoluteCaptureTime: 0.004
      }
    }
  }

  /// Longest time that audio is believed to wait inside a sender, in seconds.
  private static let longestWaiting = 0.2
  /// Reports that the waiting rests on: a minute and a half of Chromium's.
  private static let reports = 16
  /// Reports needed before the waiting is believed.
  private static let fewestReports = 3
  /// How far from a capture time the sender's clock is read by it, in seconds; Chromium sends one a second.
  private static let nearness = 10.0
  /// Pairs that the current line between the two clocks rests on.
  private static let window = 5

  private struct Line: Sendable {
    /// Sender's NTP time less media time, in seconds, of the last pairs.
    var offsets: [Double] = []
    var last: (media: Double, senderTime: Double, arrival: Double)?
  }

  private var captureTimes = Line()
  private var senderReports = Line()
  /// Arrival of each report less its own RTP time: no packet has to be filled before a report leaves.
  private var reportPoints: [EnvelopePoint] = []
  /// The last step that the sender's pairs showed: its size in seconds, and between which arrivals it lies.
  private(set) var announcement: (size: Double, after: Double, until: Double)?

  /// What placement rests on, for people.
  var basis: String {
    if captureTimes.last != nil { return "abs-capture-time" }
    return senderReports.last == nil ? "arrival times" : "sender reports"
  }

  /// Takes a pair: at `senderTime` (the sender's NTP clock, in seconds) the media clock stood at `media` seconds.
  mutating func add(_ source: Source, senderTime: Double, media: Double, arrival: Double) {
    var line = source == .senderReport ? senderReports : captureTimes
    var sorted = line.offsets
    let offset = senderTime - media
    if let usual = TheilSen.median(&sorted), abs(offset - usual) > source.leastStep {
      announcement = (offset - usual, line.last?.arrival ?? arrival, arrival)
      // The new line counts from here; a lone outlier costs the old pairs and nothing else.
      line.offsets.removeAll()
    }
    line.offsets.append(offset)
    if line.offsets.count > CaptureReferences.window { line.offsets.removeFirst() }
    line.last = (media, senderTime, arrival)
    if source == .senderReport {
      senderReports = line
      reportPoints.append(EnvelopePoint(media: media, residual: arrival - media))
      if reportPoints.count > CaptureReferences.reports { reportPoints.removeFirst() }
    } else {
      captureTimes = line
    }
  }

  /// How long a sample waits in the sender beyond its packet's length, in seconds, when packets' envelope has `level`
  /// at media time 0 and rises by `slope`.
  func waiting(level: Double, slope: Double) -> Double {
    guard reportPoints.count >= CaptureReferences.fewestReports else { return 0 }
    var levels = reportPoints.map { $0.residual - slope * $0.media }
    levels.sort()
    // The second lowest, since some senders' reports scatter to both sides.
    let waiting = level - levels[1]
    return waiting > 0 && waiting < CaptureReferences.longestWaiting ? waiting : 0
  }

  /// Media time of the latest pair.
  var latestMedia: Double? {
    [captureTimes.last?.media, senderReports.last?.media].compactMap { $0 }.max()
  }

  /// The media time that was captured when the sender's NTP clock showed `senderTime`, by the capture times alone; nil
  /// where none is near. Sender reports' RTP times of some browsers scatter by too much for this.
  func captured(at senderTime: Double, slope: Double) -> Double? {
    guard let last = captureTimes.last, abs(senderTime - last.senderTime) < CaptureReferences.nearness else {
      return nil
    }
    return last.media + (senderTime - last.senderTime) * (1 - slope)
  }

  /// The media time at which the sender's NTP clock shows `senderTime`, by the best line there is.
  func media(at senderTime: Double) -> Double? {
    guard let last = captureTimes.last ?? senderReports.last else { return nil }
    return last.media + (senderTime - last.senderTime)
  }
}
