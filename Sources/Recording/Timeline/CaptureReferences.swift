/// The sender's own statements about its clocks: sender reports (RFC 3550 section 6.4.1) and abs-capture-time.
///
/// A reference pairs an instant of the sender's NTP clock with an RTP time. The pairs reveal steps of the RTP clock
/// that network jitter would hide in the arrivals, and a report's arrival shows how long audio waits in the sender.
struct CaptureReferences: Sendable, Codable {
  /// The source of a pair.
  enum Source: Hashable, Sendable, Codable {
    case senderReport
    case absoluteCaptureTime

    /// Smallest accepted step, in seconds. The reports of some senders scatter by tens of milliseconds; Chromium's
    /// capture times lie on a line within 0.01 ms, and it sends one immediately after a device skipped a block of 10
    /// ms.
    var leastStep: Double {
      switch self {
      case .senderReport: 0.04
      case .absoluteCaptureTime: 0.004
      }
    }
  }

  /// Smallest step between two reports that is accepted if arrivals agree, in seconds: less than any packet.
  private static let leastAgreedStep = 0.008

  /// Longest plausible waiting time of audio inside a sender, in seconds.
  private static let longestWaiting = 0.2
  /// Reports used for the waiting time: a minute and a half of Chromium's.
  private static let reports = 16
  /// Minimum number of reports for the waiting time.
  private static let fewestReports = 3
  /// Maximum distance from a capture time for reading the sender's clock, in seconds; Chromium sends one per second.
  private static let nearness = 10.0
  /// Number of differences between pairs used for their scatter, and the minimum.
  private static let changes = 12
  private static let fewestChanges = 4
  /// From one capture time of a browser's to the next, in seconds.
  private static let usualInterval = 1.0
  /// Share of that below which one is out of turn.
  private static let regularly = 0.99
  /// Ratio of a step to the scatter.
  private static let certainty = 8.0
  /// Pairs used for the rate between the two clocks, and the minimum.
  private static let ratePairs = 64
  private static let fewestRatePairs = 8
  /// Pairs used for the current line between the two clocks.
  private static let window = 5
  /// Lifetime of an announcement, in seconds: as long as packets before it are remembered.
  private static let announcementSpan = 5.0
  /// Maximum number of announcements, for a sender whose every packet shows a step.
  private static let greatestAnnouncements = 256

  /// True if a reading of the sender's clocks at `media` was made behind a standstill at `start`.
  ///
  /// While a microphone stands still, senders extrapolate their RTP time. If the reading that arrived at `announcedAt` was
  /// the first to show the standstill, it was made behind it, and those before it were not, whatever their media time.
  private static func isBehind(_ media: Double, arrivedAt arrival: Double, _ start: Double, announcedAt: Double?)
    -> Bool
  {
    guard media > start - EnvelopePoint.grain else { return false }
    return announcedAt.map { arrival >= $0 } ?? true
  }

  /// A pair of sender time and media time.
  private struct Pair: Sendable, Codable {
    var media: Double
    var senderTime: Double
    var arrival: Double
    /// End of the newest packet that the sender had certainly sent by then: a drop before it shows in this pair.
    var sent: Double
    /// Media time from the pair before, without what was found to be a standstill later; nil for the first.
    var span: Double?
    var offset: Double { senderTime - media }
  }

  private struct Line: Sendable, Codable {
    /// The last pairs on one line.
    var pairs: [Pair] = []
    /// The last pairs on any line.
    private var recent: [Pair] = []
    var last: Pair? { recent.last }
    var usual: Double? {
      var offsets = pairs.map(\.offset)
      return TheilSen.median(&offsets)
    }

    /// Typical scatter of pairs on one line, in seconds; nil if there are too few.
    var scatter: Double? {
      var changes = zip(recent, recent.dropFirst()).map { abs($1.offset - $0.offset) }
      return changes.count >= CaptureReferences.fewestChanges ? TheilSen.median(&changes) : nil
    }

    /// True if the newest pair came sooner after the one before than the sender's pairs do. A sender that reports its clocks
    /// once per second, and again when they have just diverged, has that second; one that stamps every packet, or each
    /// tenth, has no turn to be out of. Of the spans before it the longer ones count, and not those of pairs that were lost.
    var isOutOfTurn: Bool {
      guard let span = recent.last?.span else { return false }
      var spans = recent.dropLast().compactMap(\.span)
      spans.sort()
      let usual = spans.isEmpty ? CaptureReferences.usualInterval : spans[spans.count * 3 / 4]
      return span < usual * CaptureReferences.regularly
    }

    mutating func note(_ pair: Pair) {
      recent.append(pair)
      if recent.count > CaptureReferences.changes + 1 { recent.removeFirst() }
    }

    mutating func insert(standstill seconds: Double, at media: Double, announcedAt: Double?) {
      func isBehind(_ pair: Pair) -> Bool {
        CaptureReferences.isBehind(pair.media, arrivedAt: pair.arrival, media, announcedAt: announcedAt)
      }
      for index in pairs.indices where isBehind(pairs[index]) { pairs[index].media += seconds }
      for index in recent.indices where isBehind(recent[index]) { recent[index].media += seconds }
      for index in recent.indices where recent[index].sent > media + EnvelopePoint.grain {
        recent[index].sent += seconds
      }
    }
  }

  private var captureTimes = Line()
  private var senderReports = Line()
  /// Arrival of each report minus its own RTP time: a report does not wait for a packet to fill.
  private var reportPoints: [EnvelopePoint] = []
  /// The sender's NTP clock minus its RTP time, from its reports.
  private var rates: [EnvelopePoint] = []
  /// Steps of the last seconds that the sender's pairs show and that are not yet handled, in order.
  private(set) var announcements: [Announcement] = []

  /// Typical scatter of sender reports about their line, in seconds; nil if there are too few.
  var reportScatter: Double? { senderReports.scatter }

  var hasCaptureTimes: Bool { captureTimes.last != nil }

  /// The basis of the placement, for users.
  var basis: String {
    if captureTimes.last != nil { return "abs-capture-time" }
    return senderReports.last == nil ? "arrival times" : "sender reports"
  }

  /// Adds a pair: at `senderTime` (the sender's NTP clock, in seconds), the media clock was at `media` seconds.
  ///
  /// - Parameter sent: end of the newest packet that was certainly sent before.
  mutating func add(_ source: Source, senderTime: Double, media: Double, arrival: Double, sent: Double) {
    var line = source == .senderReport ? senderReports : captureTimes
    let former = line.last
    let span = former.map { media - $0.media }
    let pair = Pair(media: media, senderTime: senderTime, arrival: arrival, sent: sent, span: span)
    line.note(pair)
    // Reports that lie on a line show a standstill as well as capture times do, once per second.
    let exact = line.scatter.map { max(Source.absoluteCaptureTime.leastStep, $0 * CaptureReferences.certainty) }
    let least = min(source.leastStep, exact ?? .infinity)
    if let former, let usual = line.usual, abs(pair.offset - usual) > least {
      announce(
        Announcement(
          difference: pair.offset - former.offset, after: former.media, until: media, sentBefore: former.sent,
          arrival: arrival, source: source, isExact: source == .absoluteCaptureTime || least < source.leastStep,
          isOutOfTurn: source == .absoluteCaptureTime && line.isOutOfTurn))
      // The new line starts here; a single outlier costs only the old pairs.
      line.pairs.removeAll()
    } else if source == .senderReport, let former, pair.offset - former.offset > CaptureReferences.leastAgreedStep {
      announce(
        Announcement(
          difference: pair.offset - former.offset, after: former.media, until: media, sentBefore: former.sent,
          arrival: arrival, source: source, isExact: true, needsAgreement: true))
    }
    line.pairs.append(pair)
    if line.pairs.count > CaptureReferences.window { line.pairs.removeFirst() }
    if source == .senderReport {
      senderReports = line
      rates.append(EnvelopePoint(media: media, residual: pair.offset))
      if rates.count > CaptureReferences.ratePairs { rates.removeFirst() }
      reportPoints.append(EnvelopePoint(media: media, residual: arrival - media))
      if reportPoints.count > CaptureReferences.reports { reportPoints.removeFirst() }
    } else {
      captureTimes = line
    }
  }

  private mutating func announce(_ announcement: Announcement) {
    // The pair after an outlier is off the usual line as well, but is not a step.
    guard abs(announcement.difference) >= Source.absoluteCaptureTime.leastStep else { return }
    // A sender's reports show the same step as its capture times, but later and less precisely.
    if announcement.source == .senderReport, let last = captureTimes.last,
      announcement.arrival - last.arrival < CaptureReferences.announcementSpan
    {
      return
    }
    guard announcements.count < CaptureReferences.greatestAnnouncements else { return }
    announcements.append(announcement)
  }

  /// Forgets and returns the announcements that nothing has confirmed in time.
  mutating func takeExpired(at arrival: Double) -> [Announcement] {
    let expired = announcements.filter { arrival - $0.arrival > CaptureReferences.announcementSpan }
    if !expired.isEmpty { announcements.removeAll { arrival - $0.arrival > CaptureReferences.announcementSpan } }
    return expired
  }

  /// Moves all pairs from `media` on: RTP time stood still there for `seconds`. Returns the announcements before it, which
  /// are forgotten unconfirmed.
  mutating func insert(standstill seconds: Double, at media: Double, announcedAt: Double?) -> [Announcement] {
    captureTimes.insert(standstill: seconds, at: media, announcedAt: announcedAt)
    senderReports.insert(standstill: seconds, at: media, announcedAt: announcedAt)
    for index in reportPoints.indices {
      let point = reportPoints[index]
      let arrival = point.media + point.residual
      guard CaptureReferences.isBehind(point.media, arrivedAt: arrival, media, announcedAt: announcedAt) else {
        continue
      }
      reportPoints[index] = EnvelopePoint(media: point.media + seconds, residual: point.residual - seconds)
      // Both have the latest reports at their ends.
      let rate = index + rates.count - reportPoints.count
      rates[rate].media += seconds
      rates[rate].residual -= seconds
    }
    for index in rates.indices.dropLast(reportPoints.count) { rates[index].insert(standstill: seconds, at: media) }
    let passed = announcements.filter { $0.until < media - EnvelopePoint.grain }
    announcements.removeAll { $0.until < media - EnvelopePoint.grain }
    for index in announcements.indices {
      announcements[index].insert(standstill: seconds, at: media, announcedAt: announcedAt)
    }
    announcements.removeAll(where: \.isFollowed)
    return passed
  }

  /// Media time up to which all drops have shown in pairs and were followed; nil without pairs.
  var witnessedUntil: Double? {
    let line = captureTimes.last == nil ? senderReports : captureTimes
    guard let last = line.last else { return nil }
    // What arrivals have neither confirmed nor refuted yet.
    let open = announcements.first {
      $0.difference > 0 && last.arrival - $0.arrival <= CaptureReferences.announcementSpan
    }
    return min(open?.sentBefore ?? .infinity, last.sent)
  }

  /// End of the newest packet that was certainly sent before the last pair; nil without pairs.
  var lastSent: Double? { (captureTimes.last ?? senderReports.last)?.sent }

  /// The lowest arrival of a report minus its own RTP time; nil without reports.
  var quickestReport: Double? { reportPoints.map(\.residual).min() }

  /// How long a sample waits in the sender beyond its packet's length, in seconds, for a packet envelope of `level`
  /// at media time 0 and the given `slope`.
  func waiting(level: Double, slope: Double) -> Double {
    guard reportPoints.count >= CaptureReferences.fewestReports else { return 0 }
    var levels = reportPoints.map { $0.residual - slope * $0.media }
    levels.sort()
    // The second lowest, since some senders' reports scatter in both directions.
    let waiting = level - levels[1]
    return waiting > 0 && waiting < CaptureReferences.longestWaiting ? waiting : 0
  }

  /// Change of the sender's NTP clock minus its RTP time per second, from its reports; nil if there are too few.
  var rate: TheilSen.Line? {
    rates.count >= CaptureReferences.fewestRatePairs ? TheilSen.fit(rates) : nil
  }

  /// Media time of the latest pair.
  var latestMedia: Double? {
    [captureTimes.last?.media, senderReports.last?.media].compactMap { $0 }.max()
  }

  /// The media time captured at `senderTime` of the sender's NTP clock, from capture times only; nil if none is near.
  /// The RTP times of some browsers' sender reports scatter too much for this.
  func captured(at senderTime: Double, slope: Double) -> Double? {
    guard let last = captureTimes.last, abs(senderTime - last.senderTime) < CaptureReferences.nearness else {
      return nil
    }
    return last.media + (senderTime - last.senderTime) * (1 - slope)
  }
}
