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

  /// Smallest step between two reports that is believed where arrivals show the same, in seconds: less than any packet.
  private static let leastAgreedStep = 0.008

  /// Longest time that audio is believed to wait inside a sender, in seconds.
  private static let longestWaiting = 0.2
  /// Reports that the waiting rests on: a minute and a half of Chromium's.
  private static let reports = 16
  /// Reports needed before the waiting is believed.
  private static let fewestReports = 3
  /// How far from a capture time the sender's clock is read by it, in seconds; Chromium sends one a second.
  private static let nearness = 10.0
  /// Changes between pairs that show how exact they are, and the fewest of them.
  private static let changes = 12
  private static let fewestChanges = 4
  /// A step is so many times the scatter.
  private static let certainty = 8.0
  /// Pairs that the rate between the two clocks rests on, and the fewest of them.
  private static let ratePairs = 64
  private static let fewestRatePairs = 8
  /// Pairs that the current line between the two clocks rests on.
  private static let window = 5
  /// How long an announcement counts, in seconds: as long as packets from before it are remembered.
  private static let announcementSpan = 5.0
  /// What is counted of a sender whose every packet shows a step.
  private static let greatestAnnouncements = 256

  /// True where a packet whose first sample is at `media` begins at `start` or later.
  private static func begins(_ media: Double, atOrBehind start: Double) -> Bool {
    media > start - EnvelopePoint.grain
  }

  /// One pair.
  private struct Pair: Sendable {
    var media: Double
    var senderTime: Double
    var arrival: Double
    var offset: Double { senderTime - media }
  }

  private struct Line: Sendable {
    /// The last pairs that lie on one line.
    var pairs: [Pair] = []
    /// The last pairs, whatever line they lie on.
    private var recent: [Pair] = []
    var last: Pair? { recent.last }
    var usual: Double? {
      var offsets = pairs.map(\.offset)
      return TheilSen.median(&offsets)
    }

    /// By how much pairs of one line differ from each other usually, in seconds; nil where there are too few.
    var scatter: Double? {
      var changes = zip(recent, recent.dropFirst()).map { abs($1.offset - $0.offset) }
      return changes.count >= CaptureReferences.fewestChanges ? TheilSen.median(&changes) : nil
    }

    mutating func note(_ pair: Pair) {
      recent.append(pair)
      if recent.count > CaptureReferences.changes + 1 { recent.removeFirst() }
    }

    mutating func insert(standstill seconds: Double, at media: Double) {
      for index in pairs.indices where begins(pairs[index].media, atOrBehind: media) { pairs[index].media += seconds }
      for index in recent.indices where begins(recent[index].media, atOrBehind: media) {
        recent[index].media += seconds
      }
    }
  }

  /// A step that the sender's pairs showed.
  struct Announcement: Hashable, Sendable {
    /// By how much the sender's clocks parted between two pairs, in seconds.
    var difference: Double
    /// Media times of the pairs before and behind it.
    var after: Double
    var until: Double
    /// Arrival of the pair behind it.
    var arrival: Double
    var source: Source
    /// The sender's pairs lie on lines so exactly that the step is no scatter.
    var isExact: Bool
    /// It counts only where arrivals show the same: by itself it may be scatter.
    var needsAgreement = false

    /// By how much later the same media time is captured now, in seconds, where the clocks part by `slope` a second
    /// anyway.
    func size(slope: Double) -> Double { difference - slope * (until - after) }
  }

  private var captureTimes = Line()
  private var senderReports = Line()
  /// Arrival of each report less its own RTP time: no packet has to be filled before a report leaves.
  private var reportPoints: [EnvelopePoint] = []
  /// The sender's NTP clock less its RTP time, by its reports.
  private var rates: [EnvelopePoint] = []
  /// The steps of the last seconds that the sender's pairs showed and nobody has followed yet, in their order.
  private(set) var announcements: [Announcement] = []

  /// By how much sender reports usually scatter about their line, in seconds; nil where there are too few.
  var reportScatter: Double? { senderReports.scatter }

  var hasCaptureTimes: Bool { captureTimes.last != nil }

  /// What placement rests on, for people.
  var basis: String {
    if captureTimes.last != nil { return "abs-capture-time" }
    return senderReports.last == nil ? "arrival times" : "sender reports"
  }

  /// Takes a pair: at `senderTime` (the sender's NTP clock, in seconds) the media clock stood at `media` seconds.
  mutating func add(_ source: Source, senderTime: Double, media: Double, arrival: Double) {
    var line = source == .senderReport ? senderReports : captureTimes
    let pair = Pair(media: media, senderTime: senderTime, arrival: arrival)
    let former = line.last
    line.note(pair)
    // Reports that lie on a line show a standstill as well as capture times do, once a second.
    let exact = line.scatter.map { max(Source.absoluteCaptureTime.leastStep, $0 * CaptureReferences.certainty) }
    let least = min(source.leastStep, exact ?? .infinity)
    if let former, let usual = line.usual, abs(pair.offset - usual) > least {
      announce(
        Announcement(
          difference: pair.offset - former.offset, after: former.media, until: media, arrival: arrival, source: source,
          isExact: source == .absoluteCaptureTime || least < source.leastStep))
      // The new line counts from here; a lone outlier costs the old pairs and nothing else.
      line.pairs.removeAll()
    } else if source == .senderReport, let former, pair.offset - former.offset > CaptureReferences.leastAgreedStep {
      announce(
        Announcement(
          difference: pair.offset - former.offset, after: former.media, until: media, arrival: arrival, source: source,
          isExact: true, needsAgreement: true))
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
    announcements.removeAll { announcement.arrival - $0.arrival > CaptureReferences.announcementSpan }
    // The pair behind one that showed a step lies off the usual line as well, and shows no step of its own.
    guard abs(announcement.difference) >= Source.absoluteCaptureTime.leastStep else { return }
    // A sender's reports show the same step as its capture times, later and less exactly.
    if announcement.source == .senderReport, let last = captureTimes.last,
      announcement.arrival - last.arrival < CaptureReferences.announcementSpan
    {
      return
    }
    guard announcements.count < CaptureReferences.greatestAnnouncements else { return }
    announcements.append(announcement)
  }

  /// Moves what was said from `media` on: there, RTP time stood still for so many seconds.
  mutating func insert(standstill seconds: Double, at media: Double) {
    captureTimes.insert(standstill: seconds, at: media)
    senderReports.insert(standstill: seconds, at: media)
    for index in rates.indices { rates[index].insert(standstill: seconds, at: media) }
    for index in reportPoints.indices { reportPoints[index].insert(standstill: seconds, at: media) }
    // The one that is followed, and those before it.
    announcements.removeAll { !CaptureReferences.begins($0.after, atOrBehind: media) }
    for index in announcements.indices {
      announcements[index].after += seconds
      announcements[index].until += seconds
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

  /// The change of the sender's NTP clock less its RTP time per second, by its reports; nil where there are too few.
  var rate: TheilSen.Line? {
    rates.count >= CaptureReferences.fewestRatePairs ? TheilSen.fit(rates) : nil
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
