import Glibc

/// Follows the delay of a backup through a take, window by window.
struct DelayTracker {
  /// Distance between windows, in samples: two seconds, less in short takes.
  private static let hop = 96_000
  /// Minimum number of windows, even for a short take.
  private static let leastWindows = 24
  /// Neighbouring delays of a course that differ by more than this count as a jump, in samples.
  private static let step = 384.0
  private static let worth = (slope: 500e-6, slack: 3.0, jumpCost: 1.0, floor: 0.12)
  /// Readings with less phase agreement than this are ignored.
  private static let leastAgreement = 0.5
  private static let greatestDeviation = 1.5
  /// Points used for a guess, on both sides together.
  private static let guess = 9

  /// The delays found.
  struct Track {
    /// Sorted by time.
    var points: [LineFit.Point]
    /// Index range of each run without a jump.
    var runs: [Range<Int>]
    /// Middles of the windows in which both have sound.
    var active: [Double]
    var compared: Int { active.count }
  }

  private let windows: AlignmentWindows
  private let finder = DelayFinder()
  private let meter = DelayMeter()
  /// Middles of the windows, in samples of the take.
  let places: [Double]

  init(_ windows: AlignmentWindows) {
    self.windows = windows
    let room = max(0, Int(clamping: windows.take.frameCount) - DelayFinder.window)
    let hop = max(4_800, min(DelayTracker.hop, room / DelayTracker.leastWindows))
    places = stride(from: DelayFinder.window / 2, through: DelayFinder.window / 2 + room, by: hop).map(Double.init)
  }

  // MARK: The first look

  /// Scores a course at a few places: the mean of the best scores.
  func taste(_ course: CoarseSearch.Course, places count: Int, _ proceed: () throws -> Void) throws -> Double {
    let step = max(1, places.count / max(1, count))
    var (sum, compared) = (0.0, 0)
    for place in stride(from: 0, to: places.count, by: step).map({ places[$0] }) {
      try proceed()
      let sound = try windows.take(from: start(place, DelayFinder.window), count: DelayFinder.window)
      guard AlignmentWindows.level(sound) > BackupAligner.silence else { continue }
      compared += 1
      sum += try nodes(at: place, sound, course)?.map(\.score).max() ?? 0
    }
    return compared > 0 ? sum / Double(compared) : 0
  }

  /// Follows the course of the delay through all windows.
  func track(_ course: CoarseSearch.Course, _ proceed: () throws -> Void) throws -> Track {
    var steps: [PathSearch.Step] = []
    var active: [Double] = []
    for place in places {
      try proceed()
      let sound = try windows.take(from: start(place, DelayFinder.window), count: DelayFinder.window)
      guard AlignmentWindows.level(sound) > BackupAligner.silence, let nodes = try nodes(at: place, sound, course)
      else { continue }
      active.append(place)
      steps.append(PathSearch.Step(time: place, nodes: nodes))
    }
    let worth = DelayTracker.worth
    let search = PathSearch(slope: worth.slope, slack: worth.slack, jumpCost: worth.jumpCost, floor: worth.floor)
    let chosen = search.best(steps).points.filter { $0.node.score > worth.floor }
    let points = chosen.map { LineFit.Point(time: steps[$0.step].time, delay: $0.node.delay, deviation: 1) }
    var runs: [Range<Int>] = []
    var first = 0
    for index in points.indices.dropFirst() {
      let change = abs(points[index].delay - points[index - 1].delay)
      guard change > worth.slope * (points[index].time - points[index - 1].time) + worth.slack else { continue }
      runs.append(first..<index)
      first = index
    }
    if !points.isEmpty { runs.append(first..<points.count) }
    return Track(points: points, runs: runs, active: active)
  }

  /// The delays that fit at `place`; nil if the backup has no sound there.
  private func nodes(
    at place: Double, _ sound: [Float], _ course: CoarseSearch.Course
  ) throws -> [PathSearch.Node]? {
    var nodes: [PathSearch.Node]?
    for delay in delays(of: course, at: place) {
      let middle = (place + delay) * windows.ratio
      guard middle >= 0, middle < Double(windows.backup.frameCount) else { continue }
      let other = try windows.backup(
        from: start(place, DelayFinder.window), count: DelayFinder.window, delay: delay, slope: 0)
      guard AlignmentWindows.level(other) > BackupAligner.silence else { continue }
      for node in finder.fits(sound, other) {
        let found = PathSearch.Node(delay: delay + node.delay, score: node.score)
        if nodes?.contains(where: { abs($0.delay - found.delay) < 1 }) != true { nodes = (nodes ?? []) + [found] }
      }
    }
    return nodes
  }

  /// The delays that a course gives at `place`, in samples: one, or two near a jump.
  private func delays(of course: CoarseSearch.Course, at place: Double) -> [Double] {
    let scale = 48_000 / Double(Envelope.rate)
    let points = course.points.map { (time: $0.time * scale, delay: $0.delay * scale) }
    let next = points.firstIndex { $0.time > place } ?? points.count
    guard next > 0 else { return points.first.map { [$0.delay] } ?? [] }
    guard next < points.count else { return [points[next - 1].delay] }
    let (left, right) = (points[next - 1], points[next])
    if abs(right.delay - left.delay) > DelayTracker.step { return [left.delay, right.delay] }
    return [left.delay + (right.delay - left.delay) * (place - left.time) / (right.time - left.time)]
  }

  // MARK: The second look

  /// Measures the delays to a fraction of a sample, sorted by time.
  func measure(along track: Track, _ proceed: () throws -> Void) throws -> [LineFit.Point] {
    try measure(at: track.active, proceed) { guesses(track, at: $0) }
  }

  /// Measures the delays at `places`, each near one of the lines expected there.
  func measure(
    at places: [Double], _ proceed: () throws -> Void, expected: (Double) -> [LineFit.Line]
  ) throws -> [LineFit.Point] {
    var points: [LineFit.Point] = []
    for place in places {
      try proceed()
      let start = start(place, DelayMeter.window)
      let sound = try windows.take(from: start, count: DelayMeter.window)
      var best: (point: LineFit.Point, agreement: Double)?
      for guess in expected(place) {
        let delay = guess.delay(at: place)
        let other = try windows.backup(
          from: start, count: DelayMeter.window, delay: guess.delay(at: Double(start)), slope: guess.slope)
        guard let reading = meter.measure(sound, other), reading.agreement >= DelayTracker.leastAgreement,
          reading.deviation <= DelayTracker.greatestDeviation, reading.agreement > best?.agreement ?? 0
        else { continue }
        best = (
          .init(time: place, delay: delay + reading.delay, deviation: reading.deviation), reading.agreement
        )
      }
      if let best { points.append(best.point) }
    }
    return points
  }

  /// Lines through the points of the run at `place`, or of the runs before and after it.
  private func guesses(_ track: Track, at place: Double) -> [LineFit.Line] {
    let runs = track.runs
    let after = runs.firstIndex { track.points[$0.upperBound - 1].time >= place } ?? runs.count - 1
    var chosen = [runs[after]]
    if after > 0, track.points[runs[after].lowerBound].time > place { chosen.append(runs[after - 1]) }
    return chosen.map { run in
      let near = run.firstIndex { track.points[$0].time >= place } ?? run.upperBound - 1
      let first = max(run.lowerBound, min(near - DelayTracker.guess / 2, run.upperBound - DelayTracker.guess))
      return LineFit.median(Array(track.points[first..<min(run.upperBound, first + DelayTracker.guess)]))
    }
  }

  private func start(_ place: Double, _ length: Int) -> Int64 { Int64(place) - Int64(length / 2) }
}
