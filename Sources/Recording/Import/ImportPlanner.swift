import Foundation
import Machines
import Music

/// Finds out what take existing recordings make.
package struct ImportPlanner {
  /// Endings of files that libsndfile may read, and of recordings of packets.
  package static let endings: Set<String> = [
    "wav", "wave", "bwf", "rf64", "w64", "flac", "aif", "aiff", "aifc", "ogg", "oga", "opus", "mp3", "caf", "au",
    "mjr", "webm", "mka", "mkv",
  ]
  /// What cannot be imported as it is, and what to do instead.
  package static let foreign: [String: String] = [
    "aup3": "an Audacity project; export its tracks in Audacity (File, Export Multiple) as WAV, and import that folder",
    "aup": "an Audacity project; export its tracks in Audacity (File, Export Multiple) as WAV, and import that folder",
    "m4a": "AAC; turn it into WAV by ffmpeg -i FILE.m4a FILE.wav",
    "mp4": "MPEG-4; turn its sound into WAV by ffmpeg -i FILE.mp4 FILE.wav",
  ]
  /// Most tracks of a take.
  private static let maximumLanes = 64
  /// Largest distance of two files by their times, in seconds. More is another evening, or a clock that was never set.
  private static let longestDistance = 6 * 3_600.0
  /// Longest take, in samples: a day. Damaged files and projects have any length.
  private static let longest: Int64 = 86_400 * 48_000

  /// True to place all files at the take's beginning, whatever times they have.
  private let ignoresTimes: Bool
  /// The folder for temporary files; nil for the system's.
  let temporary: String?
  /// True if the files of a project lie beside it, whatever paths it has.
  let isFlat: Bool

  package init(ignoresTimes: Bool = false) {
    (self.ignoresTimes, temporary, isFlat) = (ignoresTimes, nil, false)
  }

  /// For files that others have sent: nothing outside the folder is looked at, and all files of a project lie beside it.
  /// - Parameter temporary: the folder for temporary files.
  package init(ofUploadsWith temporary: String, ignoresTimes: Bool) {
    (self.ignoresTimes, self.temporary, isFlat) = (ignoresTimes, temporary, true)
  }

  /// The takes that `paths` make: each folder, each Reaper project and each archive of OpenTok is one; all other files together are one.
  /// - Throws: `ImportProblem`, `FileProblem`.
  package func plans(for paths: [String]) throws -> [ImportPlan] {
    var plans: [ImportPlan] = []
    var files: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw FileProblem(path: path, operation: .open, code: ENOENT)
      }
      if isFolder.boolValue {
        plans.append(try plan(folder: path))
      } else if ImportPlanner.ending(of: path) == "rpp" {
        plans.append(try ReaperReader.plan(path, planner: self))
      } else if ImportPlanner.ending(of: path) == "zip" {
        plans.append(try OpenTokArchive.plan(path, temporary: temporary))
      } else {
        files.append(path)
      }
    }
    if let first = files.first {
      let name = URL(fileURLWithPath: first).lastPathComponent
      plans.append(try plan(files, origin: files.count == 1 ? name : "\(name) and \(files.count - 1) more files"))
    }
    for plan in plans where plan.length > ImportPlanner.longest {
      throw ImportProblem(
        "\(plan.origin) would be a take of \(plan.length / (3_600 * 48_000)) hours; at most 24 are possible")
    }
    return plans
  }

  /// The takes that the files of a folder make as if each had been named. Beside a Reaper project, all other sound files
  /// are its own.
  /// - Throws: `ImportProblem`, `FileProblem`.
  package func plans(ofUploadsIn folder: String) throws -> [ImportPlan] {
    let names = try ImportPlanner.names(in: folder)
    let projects = names.filter { ImportPlanner.ending(of: $0) == "rpp" }
    let named =
      projects.isEmpty
      ? names.filter { ImportPlanner.isSound($0, in: folder) }
      : projects + names.filter { ImportPlanner.ending(of: $0) == "zip" }
    let place = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL
    var plans = try plans(for: named.map { place.appendingPathComponent($0).path })
    let used = Set(named + plans.flatMap(\.sources).map(\.name))
    let others = names.filter { !used.contains($0) }
    if !others.isEmpty, !plans.isEmpty {
      plans[0].notes.append("left out: " + others.joined(separator: ", "))
    }
    return plans
  }

  /// What is in a folder, in the order that people count in.
  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
      .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
  }

  /// One take of all sound files in a folder, by name.
  private func plan(folder path: String) throws -> ImportPlan {
    let names = try ImportPlanner.names(in: path)
    let sounds = names.filter { name in
      ImportPlanner.endings.contains(ImportPlanner.ending(of: name)) && ImportPlanner.isSound(name, in: path)
    }
    guard !sounds.isEmpty else {
      let known = names.compactMap { name in
        ImportPlanner.foreign[ImportPlanner.ending(of: name)].map { "\(name) is \($0)" }
      }
      throw ImportProblem(
        known.first ?? "\(path) has no sound files (WAV, FLAC, AIFF, Ogg, MP3, WebM, mjr); name a folder that has")
    }
    let folder = URL(fileURLWithPath: path).standardizedFileURL
    var plan = try plan(sounds.map { folder.appendingPathComponent($0).path }, origin: folder.lastPathComponent)
    let others = names.filter { !sounds.contains($0) }
    if !others.isEmpty { plan.notes.append("left out: " + others.joined(separator: ", ")) }
    return plan
  }

  // MARK: Files

  private func plan(_ paths: [String], origin: String) throws -> ImportPlan {
    let sources = try paths.map(source)
    let places = try places(of: sources)
    var lanes: [ImportPlan.Lane] = []
    for (index, source) in sources.enumerated() {
      let name = source.description ?? ImportPlanner.name(of: source.name)
      // A file of a field recorder: one channel for each microphone.
      let channels = source.channels > 2 ? Array(0..<source.channels).map(Optional.some) : [nil]
      for channel in channels {
        let piece = ImportPlan.Piece(
          source: index, channel: channel, position: places.positions[index],
          length: ImportPlan.samples(source.length, rate: source.rate))
        lanes.append(
          ImportPlan.Lane(
            name: try ImportPlanner.displayName(channel.map { "\(name) \($0 + 1)" } ?? name, number: lanes.count + 1),
            pieces: [piece], basis: places.bases[index]))
      }
    }
    try ImportPlanner.check(lanes.count, origin)
    let first = zip(sources, places.positions).min { $0.1 < $1.1 }?.0
    return ImportPlan(
      origin: origin, sources: sources, lanes: lanes, startedAt: first.map(ImportPlanner.start) ?? MonotonicClock.wall,
      notes: sources.flatMap(\.notes))
  }

  static func check(_ lanes: Int, _ origin: String) throws(ImportProblem) {
    guard lanes <= maximumLanes else {
      throw ImportProblem("\(origin) would be a take of \(lanes) tracks; at most \(maximumLanes) are possible")
    }
  }

  /// Where the files lie against each other, in samples, and why.
  private func places(of sources: [ImportPlan.Source]) throws -> (positions: [Int64], bases: [String]) {
    let start = "the start of the file"
    let times = sources.map { source in ignoresTimes ? nil : ImportPlanner.seconds(of: source) }
    guard let earliest = times.compactMap(\.self).min(), let latest = times.compactMap(\.self).max() else {
      return (sources.map { _ in 0 }, sources.map { _ in start })
    }
    let stamped = zip(sources, times).filter { $0.1 != nil }.map(\.0)
    if let served = stamped.first(where: { $0.arrival != nil }), let local = stamped.first(where: { $0.time != nil }) {
      throw ImportProblem(
        "the times of \(served.name) are a server's and those of \(local.name) a recorder's, which cannot be compared; "
          + "say --from-start --align to place them by their sound")
    }
    guard latest - earliest <= ImportPlanner.longestDistance else {
      let names = [earliest, latest].compactMap { time in times.firstIndex(of: time).map { sources[$0].name } }
      throw ImportProblem(
        "by their times \(names.joined(separator: " and ")) are \(Int(latest - earliest)) s apart; import them as "
          + "separate takes, or say --from-start to disregard the times")
    }
    let rate = Double(SamplePosition.rate)
    return (
      times.map { $0.map { Int64((($0 - earliest) * rate).rounded()) } ?? 0 },
      zip(sources, times).map { source, time in
        time == nil ? start : source.arrival == nil ? "BWF time reference" : "the arrival of the first packet"
      }
    )
  }

  /// Seconds on a line that the time stamps of one recorder share; nil without a stamp.
  private static func seconds(of source: ImportPlan.Source) -> Double? {
    if let arrival = source.arrival { return Double(arrival.milliseconds) / 1_000 }
    guard let time = source.time, let seconds = time.seconds(rate: source.rate) else { return nil }
    let day = time.date.flatMap { WallTime("\($0)T00:00:00Z") }
    return seconds + Double((day?.milliseconds ?? 0) / 1_000)
  }

  /// When a file was recorded, by its own words in this machine's time zone, or else by its last modification less its
  /// length.
  static func start(of source: ImportPlan.Source) -> WallTime {
    if let arrival = source.arrival { return arrival }
    if let local = source.time?.local, let time = WallTime(local + "Z") {
      let wall = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
      let offset = TimeZone.current.secondsFromGMT(for: wall)
      return WallTime(milliseconds: time.milliseconds &- Int64(offset) &* 1_000)
    }
    let length = Double(source.length) / Double(max(1, source.rate))
    return source.modified + .seconds(-length)
  }
}
