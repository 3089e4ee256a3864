import Music

/// Lists of lines in one column: tags, composers, tempo changes. No line of people holds a line break.
enum Lines {
  static func column(_ lines: [String]) -> String? { lines.isEmpty ? nil : lines.joined(separator: "\n") }

  static func list(_ column: String?) -> [String] {
    column.map { $0.split(separator: "\n").map(String.init) } ?? []
  }

  static func column(_ tempo: TempoMap?) -> String? {
    tempo.map { map in
      map.changes.map { "\($0.position.samples) \($0.beatsPerMinute) \($0.beatsPerBar) \($0.beatUnit)" }
        .joined(separator: "\n")
    }
  }

  /// - Throws: `CatalogError.damaged` for what was not written by us.
  static func tempo(_ column: String?) throws -> TempoMap? {
    guard let column else { return nil }
    let changes = try list(column).map { line in
      let fields = line.split(separator: " ")
      guard fields.count == 4, let samples = Int64(fields[0]), let beats = Double(fields[1]),
        let bar = Int(fields[2]), let unit = Int(fields[3])
      else { throw CatalogError.damaged("a tempo is \"\(line.prefix(80))\"") }
      return TempoMap.Change(
        position: SamplePosition(samples), beatsPerMinute: beats, beatsPerBar: bar, beatUnit: unit)
    }
    let tempo = TempoMap(changes: changes)
    do { try tempo.check() } catch { throw CatalogError.damaged("a tempo cannot be: \(error)") }
    return tempo
  }
}
