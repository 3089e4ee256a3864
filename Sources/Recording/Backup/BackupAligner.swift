import Glibc
import Machines

/// Aligns a backup with the take's track to a fraction of a sample, including its clock drift and any lost samples.
///
/// The search has five steps. The first compares loudness within half a minute; the second compares the phases of the
/// sound every few seconds. The third measures the remaining delay along the lines found so far, the fourth checks
/// the result block by block, and the last leaves to the network what no sound bears out (`LineSupport`). Both sounds are
/// read in windows from beginning to end, five times at most, so an hour needs no more memory than a minute, apart from
/// its envelope (2.9 MB).
package struct BackupAligner {
  /// Lowest level that is compared: -74 dBFS.
  static let silence: Float = 2e-4
  /// Sample rate of the take, in Hz.
  static let rate = 48_000.0
  /// Windows used to choose between courses.
  private static let tastes = 24
  /// Penalty per second of difference from the clocks' hint, up to one second; decides between courses that fit alike.
  private static let hintWorth = 0.01
  /// The clocks' hint is off by up to so many steps of so many seconds either way: microphones tell their delay badly. A
  /// step is within the finder's reach (`DelayFinder.reach`).
  private static let hintSteps = 3
  private static let hintStep = 0.03
  /// How often another period is tried that fits better, and the lowest correlation of what was aligned by a hint.
  private static let hintAttempts = 3
  private static let leastHintedCorrelation = 0.9
  /// Fraction of the compared places that must agree.
  private static let leastPart = 0.25
  private static let leastPoints = 3
  /// Lowest accepted correlation of the aligned sound.
  private static let leastCorrelation = 0.25
  /// Readings that tell the slope of a bend: with fewer, their errors would.
  private static let near = 5
  /// Two lines whose ends are closer than this form one stretch with a bend, in samples; further if they are far apart.
  private static let bend = 0.75

  private let windows: AlignmentWindows
  private let expected: Double?

  /// - Parameters:
  ///   - take: the take's track at 48 kHz.
  ///   - expected: hint for the position of the backup's first sample, in seconds from the take's zero.
  package init(take: any SoundSource, backup: any SoundSource, expected: Double? = nil) {
    windows = AlignmentWindows(take: take, backup: backup)
    // What is further away is no hint.
    self.expected = expected.flatMap { abs($0) < 86_400 ? $0 : nil }
  }

  /// - Parameter proceed: called regularly; an error it throws stops the work.
  /// - Throws: `BackupRefusal`, and any error of the sources and of `proceed`.
  package func align(_ proceed: () throws -> Void = {}) throws -> BackupAlignment {
    let lengths = (
      Double(windows.take.frameCount) / BackupAligner.rate,
      Double(windows.backup.frameCount) / Double(windows.backup.rate)
    )
    guard min(lengths.0, lengths.1) >= BackupRefusal.leastLength else {
      throw BackupRefusal.tooShort(take: lengths.0, backup: lengths.1)
    }
    let search = CoarseSearch(
      take: try Envelope(of: windows.take, proceed), backup: try Envelope(of: windows.backup, proceed))
    guard search.take.exceeds(BackupAligner.silence) else { throw BackupRefusal.silentTrack }
    guard search.backup.exceeds(BackupAligner.silence) else { throw BackupRefusal.silentBackup }
    try proceed()
    var centers = [0]
    if let expected {
      let values = Int(saturating: -expected * Double(Envelope.rate))
      if abs(values) > CoarseSearch.reach / 2 { centers.append(values) }
    }
    let tracker = DelayTracker(windows)
    let courses = try search.courses(around: centers, proceed)
    do {
      guard let course = try choose(among: courses, tracker, proceed) else {
        throw BackupRefusal.otherAudio(fitting: 0, compared: tracker.places.count)
      }
      return try align(along: course, tracker, proceed)
    } catch let refusal as BackupRefusal {
      guard case .otherAudio = refusal, let alignment = try hinted(tracker, proceed) else { throw refusal }
      return alignment
    }
  }

  /// Measures the delay near a course, and finds the places of all parts.
  /// - Parameter isHint: true if the clocks alone speak for the course, and `RivalCheck` comes behind it.
  private func align(
    along course: CoarseSearch.Course, isHint: Bool = false, _ tracker: DelayTracker, _ proceed: () throws -> Void
  ) throws -> BackupAlignment {
    let track = try tracker.track(course, proceed)
    guard track.compared >= BackupAligner.leastPoints else { throw BackupRefusal.silentBackup }
    let least = max(Double(BackupAligner.leastPoints), Double(track.compared) * BackupAligner.leastPart)
    guard Double(track.points.count) >= (isHint ? Double(BackupAligner.leastPoints) : least) else {
      throw BackupRefusal.otherAudio(fitting: track.points.count, compared: track.compared)
    }
    let measured = try unbent(
      LineFit.cleaned(try tracker.measure(along: track, proceed)), tracker, at: track.active, proceed)
    guard Double(measured.count) >= least else {
      throw BackupRefusal.otherAudio(fitting: measured.count, compared: track.compared)
    }
    let alignment = try conclude(measured, tracker, at: track.active, proceed)
    guard alignment.correlation >= BackupAligner.leastCorrelation else {
      throw BackupRefusal.otherAudio(fitting: 0, compared: track.compared)
    }
    return alignment
  }

  private func choose(
    among courses: [CoarseSearch.Course], _ tracker: DelayTracker, _ proceed: () throws -> Void
  ) throws -> CoarseSearch.Course? {
    guard courses.count > 1 else { return courses.first }
    var best: (course: CoarseSearch.Course, worth: Double)?
    for course in courses {
      var worth = course.score + (try tracker.taste(course, places: BackupAligner.tastes, proceed))
      if let expected, let first = course.points.first {
        let offset = -first.delay / Double(Envelope.rate)
        worth -= BackupAligner.hintWorth * min(1, abs(offset - expected))
      }
      if worth > best?.worth ?? -.infinity { best = (course, worth) }
    }
    return best?.course
  }

  /// The alignment near where the clocks say that the backup begins; nil if nothing there fits, or several places do.
  ///
  /// A held chord has no loudness that the coarse search could compare, and its few partials make the finder's scores low.
  private func hinted(_ tracker: DelayTracker, _ proceed: () throws -> Void) throws -> BackupAlignment? {
    guard let expected else { return nil }
    var best: (offset: Double, worth: Double)?
    for step in -BackupAligner.hintSteps...BackupAligner.hintSteps {
      let offset = expected + Double(step) * BackupAligner.hintStep
      let worth = try tracker.taste(BackupAligner.course(at: offset), places: BackupAligner.tastes, proceed)
      if worth > best?.worth ?? 0 { best = (offset, worth) }
    }
    guard var offset = best?.offset else { return nil }
    for _ in 0..<BackupAligner.hintAttempts {
      do {
        let alignment = try align(along: BackupAligner.course(at: offset), isHint: true, tracker, proceed)
        guard alignment.correlation >= BackupAligner.leastHintedCorrelation,
          let shift = try RivalCheck(windows).best(of: alignment.mapping, at: tracker.places, proceed)
        else { return nil }
        guard abs(shift) >= BlockSearch.separation else {
          // Beside a loss one chord alone would tell its place, and many delays fit it.
          return alignment.mapping.stretches.count == 1 ? alignment : nil
        }
        offset = alignment.offset - Double(shift) / BackupAligner.rate
      } catch is BackupRefusal {
        return nil
      }
    }
    return nil
  }

  /// The course of a backup that begins at `offset`, in seconds from the take's zero.
  private static func course(at offset: Double) -> CoarseSearch.Course {
    CoarseSearch.Course(points: [(time: 0, delay: -offset * Double(Envelope.rate))], score: 0)
  }

  /// Measures once more if the track bends, along lines through the nearest readings. The first time it was along lines
  /// through more of them: where a bend is steeper, a reading is off by as much as the loud part of its window lies
  /// beside the middle.
  private func unbent(
    _ points: [LineFit.Point], _ tracker: DelayTracker, at places: [Double], _ proceed: () throws -> Void
  ) throws -> [LineFit.Point] {
    let curves = curves(LineFit.lines(through: points), points)
    guard curves.contains(where: \.bends) else { return points }
    return LineFit.cleaned(
      try tracker.measure(at: places, proceed) { place in
        curves.indices.filter {
          ($0 == 0 || curves[$0 - 1].last < place) && ($0 == curves.count - 1 || place < curves[$0 + 1].first)
        }.map { index in
          let curve = curves[index]
          let near = points.filter { curve.first <= $0.time && $0.time <= curve.last }
            .sorted { abs($0.time - place) < abs($1.time - place) }.prefix(BackupAligner.near)
          return near.count > 1 ? LineFit.median(near.sorted { $0.time < $1.time }) : curve.line(at: place)
        }
      })
  }

  // MARK: From delays to a mapping

  private func conclude(
    _ points: [LineFit.Point], _ tracker: DelayTracker, at places: [Double], _ proceed: () throws -> Void
  ) throws -> BackupAlignment {
    let lines = LineFit.lines(through: points)
    var weight = 0.0
    var slope = 0.0
    for line in lines where line.points.count > 1 {
      let span = points[line.points.upperBound - 1].time - points[line.points.lowerBound].time
      weight += span
      slope += span * line.slope
    }
    if weight > 0 { slope /= weight }
    var look = CloseLook(windows, curves: curves(lines, points), slope: slope)
    let sections = try look.sections(proceed)
    guard !sections.isEmpty else { throw BackupRefusal.otherAudio(fitting: 0, compared: points.count) }
    let ranges = try self.ranges(of: sections, proceed)
    var readings = points
    if sections.count > 1 {
      // The first readings near a loss come from windows that contain both sides of it.
      readings = try tracker.measure(at: places, proceed) { place in
        zip(sections, ranges).filter { isRead(at: place, in: $1) }.map { $0.0.curve.line(at: place) }
      }
    }
    let runs = zip(sections, ranges).map { section, range in
      let inside = LineFit.cleaned(readings.filter { isRead(at: $0.time, in: range) })
      return refined(section.curve, by: inside, slope)
    }
    let support = LineSupport(windows: windows)
    let rivals = RivalCheck(windows)
    var stretches: [BackupMapping.Stretch] = []
    var start = runs[0]
    var doubt = 0.0
    for (index, run) in runs.enumerated() {
      let fitting = sections[index].fitting
      guard var part = try support.part(of: run, in: ranges[index], fitting: fitting, proceed) else { continue }
      // A copy that lost samples may have lost more, unseen: near an end, in the middle of a note.
      if sections.count > 1, run.isMeasured {
        let (isFirst, isLast) = (index == 0, index == sections.count - 1)
        part = try rivals.certainPart(of: part, isFirst: isFirst, isLast: isLast, along: run, proceed)
      }
      guard !part.isEmpty else { continue }
      let stretch = run.stretch(part, ratio: windows.ratio)
      // Between two losses a single note may sound, which fits at each of its periods.
      if sections.count > 1, try !rivals.isAlone(stretch, proceed) { continue }
      if stretches.isEmpty { start = run }
      stretches.append(stretch)
      doubt = max(doubt, try support.doubt(about: part, along: run, proceed))
    }
    guard !stretches.isEmpty else { throw BackupRefusal.otherAudio(fitting: 0, compared: points.count) }
    let mapping = BackupMapping(stretches: stretches)
    return BackupAlignment(
      offset: start.time(of: 0) / BackupAligner.rate, drift: slope * 1e6,
      correlation: try AlignmentCheck(windows).correlation(of: mapping, at: places, proceed),
      errorBound: (bound(readings, mapping) + doubt) / BackupAligner.rate * 1_000, mapping: mapping)
  }

  /// Joins lines that meet into one run of the backup.
  private func curves(_ lines: [LineFit.Line], _ points: [LineFit.Point]) -> [DelayCurve] {
    var curves: [DelayCurve] = []
    for line in lines {
      let next = DelayCurve(line, through: points)
      if let last = curves.last {
        let middle = (last.last + next.first) / 2
        let most = BackupAligner.bend + LineFit.bend(over: next.first - last.last)
        if abs(next.delay(at: middle) - last.delay(at: middle)) < most {
          curves[curves.count - 1].append(next)
          continue
        }
      }
      curves.append(next)
    }
    return curves
  }

  /// The part of the take covered by each run, in samples.
  private func ranges(of sections: [CloseLook.Section], _ proceed: () throws -> Void) throws -> [Range<Int64>] {
    let breaks = BreakSearch(windows)
    var ranges: [Range<Int64>] = []
    var start = max(0, Int64(saturating: sections[0].curve.time(of: 0).rounded(.up)))
    for (section, next) in zip(sections, sections.dropFirst()) {
      let (end, begin) = try breaks.locate(from: section, to: next, proceed)
      ranges.append(start..<max(start, end))
      start = max(start, begin)
    }
    let last = sections[sections.count - 1].curve
    let end = Int64(saturating: last.time(of: Double(windows.backup.frameCount) / windows.ratio).rounded(.down))
    ranges.append(start..<max(start, min(windows.take.frameCount, end)))
    return ranges
  }

  /// True if the window of a reading lies within the range; otherwise it also contains sound from beyond the loss.
  private func isRead(at place: Double, in range: Range<Int64>) -> Bool {
    let half = Double(DelayMeter.window) / 2
    return (range.lowerBound == 0 || Double(range.lowerBound) + half <= place)
      && (range.upperBound == windows.take.frameCount || Double(range.upperBound) - half >= place)
  }

  private func refined(_ curve: DelayCurve, by points: [LineFit.Point], _ slope: Double) -> DelayCurve {
    guard points.count >= BackupAligner.leastPoints else {
      let time = (curve.first + curve.last) / 2
      let delay = LineFit.middle(points.map { $0.delay + (time - $0.time) * slope })
      return delay.map { DelayCurve(at: time, delay: $0, slope: slope) } ?? curve
    }
    let curves = curves(LineFit.lines(through: points), points)
    return curves.count == 1 ? curves[0] : curve
  }

  /// The 95th percentile of the residuals of the readings from the mapping, in samples.
  private func bound(_ points: [LineFit.Point], _ mapping: BackupMapping) -> Double {
    let residuals = mapping.stretches.flatMap { stretch in
      points.filter { isRead(at: $0.time, in: stretch.start..<stretch.end) }.map { point in
        abs(stretch.position(of: point.time) / windows.ratio - point.time - point.delay)
      }
    }.sorted()
    guard !residuals.isEmpty else { return 0 }
    let spread = residuals[min(residuals.count - 1, Int(saturating: (Double(residuals.count) * 0.95).rounded(.down)))]
    let theory = 2 * (LineFit.middle(points.map(\.deviation)) ?? 0)
    return (spread * spread + theory * theory).squareRoot()
  }
}
