import Foundation
import Machines
import Music

/// Reads tracks and items of a Reaper project (`.rpp`): which part of which file lies where.
///
/// Gains, pans, fades and effects are left out: a take keeps what was played.
package enum ReaperReader {
  /// Largest project that is read, in bytes; a plug-in's settings may be long.
  private static let maximumBytes = 64 << 20

  /// An item as the project describes it.
  package struct Item: Hashable {
    /// In seconds.
    package var position = 0.0
    package var length = 0.0
    /// Beginning of the file that is left out, in seconds.
    package var skip = 0.0
    package var rate = 1.0
    var file: String?
    var isMuted = false
  }

  package struct Lane: Hashable {
    var name = ""
    package var items: [Item] = []
  }

  static func plan(_ path: String, planner: ImportPlanner) throws -> ImportPlan {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    let folder = url.deletingLastPathComponent()
    let bytes = try TakeFolder(dataFolder: folder.path).read(url.lastPathComponent, limit: maximumBytes)
    var plan = ImportPlan(origin: url.lastPathComponent, sources: [], lanes: [], startedAt: MonotonicClock.wall)
    var known: [String: Int] = [:]
    for lane in lanes(String(decoding: bytes, as: UTF8.self)) {
      var pieces: [ImportPlan.Piece] = []
      for item in lane.items where !item.isMuted {
        guard let file = item.file else { continue }
        guard item.rate == 1 else {
          throw ImportProblem(
            "\(url.lastPathComponent) plays \(file) at \(item.rate) of its speed; render that item in Reaper first")
        }
        // Projects made on Windows have its separators.
        let path = file.replacing("\\", with: "/")
        let last = path.split(separator: "/").last.map(String.init) ?? path
        guard !planner.isFlat || FileComponent.isSafe(last) else {
          throw ImportProblem("\(url.lastPathComponent) has an item of a file without a name")
        }
        let place = URL(fileURLWithPath: planner.isFlat ? last : path, relativeTo: folder).path
        let index: Int
        if let old = known[place] {
          index = old
        } else {
          index = plan.sources.count
          plan.sources.append(try planner.source(place))
          known[place] = index
        }
        let source = plan.sources[index]
        guard let start = SamplePosition(seconds: item.position), let long = SamplePosition(seconds: item.length),
          item.skip.isFinite, start.samples >= 0
        else { throw ImportProblem("\(url.lastPathComponent) has an item of \(file) at an impossible time") }
        let skip = Int64(saturating: (max(0, min(item.skip, 1e6)) * Double(source.rate)).rounded())
        let rest = ImportPlan.samples(max(0, source.length - skip), rate: source.rate)
        guard min(rest, long.samples) > 0 else { continue }
        pieces.append(
          ImportPlan.Piece(
            source: index, position: start.samples, skip: skip, length: min(rest, long.samples)))
      }
      guard !pieces.isEmpty else { continue }
      let name = lane.name.isEmpty ? "track \(plan.lanes.count + 1)" : lane.name
      plan.lanes.append(
        ImportPlan.Lane(
          name: try ImportPlanner.displayName(name, number: plan.lanes.count + 1), pieces: pieces,
          basis: "the project's items"))
    }
    guard !plan.lanes.isEmpty else {
      throw ImportProblem(
        "\(url.lastPathComponent) has no items with sound files; export its tracks from Reaper as WAV, or name those")
    }
    try ImportPlanner.check(plan.lanes.count, url.lastPathComponent)
    if plan.sources.contains(where: { $0.channels > 2 }) {
      plan.notes.append("of files with more than two channels, the first two are used")
    }
    plan.project = url.path
    plan.startedAt = plan.sources.map(ImportPlanner.start).min() ?? plan.startedAt
    return plan
  }

  /// The tracks of a project's text, in order.
  package static func lanes(_ text: String) -> [Lane] {
    var lanes: [Lane] = []
    var blocks: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = words(String(line))
      guard let first = words.first else { continue }
      if first.hasPrefix("<") {
        blocks.append(String(first.dropFirst()))
        if blocks.last == "TRACK" { lanes.append(Lane()) }
        if blocks.last == "ITEM", !lanes.isEmpty { lanes[lanes.count - 1].items.append(Item()) }
      } else if first == ">" {
        _ = blocks.popLast()
      } else if words.count > 1, let lane = lanes.indices.last {
        note(first, words[1], in: blocks, &lanes[lane])
      }
    }
    return lanes
  }

  private static func note(_ key: String, _ value: String, in blocks: [String], _ lane: inout Lane) {
    switch (blocks.last, key) {
    case ("TRACK", "NAME"): lane.name = value
    case ("ITEM", _):
      guard let item = lane.items.indices.last else { return }
      let number = Double(value).flatMap { $0.isFinite ? $0 : nil } ?? 0
      switch key {
      case "POSITION": lane.items[item].position = number
      case "LENGTH": lane.items[item].length = number
      case "SOFFS": lane.items[item].skip = number
      case "PLAYRATE": lane.items[item].rate = number
      case "MUTE": lane.items[item].isMuted = number != 0
      default: break
      }
    case ("SOURCE", "FILE") where blocks.contains("ITEM"):
      // The first take of an item that has several.
      guard let item = lane.items.indices.last, lane.items[item].file == nil else { return }
      lane.items[item].file = value
    default: break
    }
  }

  /// Words between blanks; those in one of Reaper's three quotation marks may have blanks.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var rest = Substring(line)
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" }
      guard let first = rest.first else { return words }
      if "\"'`".contains(first) {
        rest = rest.dropFirst()
        words.append(String(rest.prefix { $0 != first }))
        rest = rest.drop { $0 != first }.dropFirst()
      } else {
        words.append(String(rest.prefix { $0 != " " && $0 != "\t" }))
        rest = rest.drop { $0 != " " && $0 != "\t" }
      }
    }
  }
}
