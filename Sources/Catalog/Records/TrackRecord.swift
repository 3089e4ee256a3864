import Foundation
import GRDB
import Music

/// The rows of `tracks`, with their gaps.
enum TrackRecord {
  static func replace(ofTake take: Int64, with tracks: [Track], at time: WallTime, in database: Database) throws {
    try database.execute(sql: "DELETE FROM tracks WHERE take = ?", arguments: [take])
    for track in tracks { try add(track, toTake: take, at: time, in: database) }
  }

  private static func add(_ track: Track, toTake take: Int64, at time: WallTime, in database: Database) throws {
    let participant = try ParticipantRecord.store(track.participant, at: time, in: database)
    let alignment = track.alignment
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO tracks
          (id, take, number, participant, name, part, channels, length, file, peak, loudness,
          alignment_basis, alignment_drift, alignment_offset, alignment_error_bound, alignment_expected_packets,
          alignment_recovered_packets, alignment_lost_packets, alignment_concealed_samples, alignment_unknown,
          alignment_unseen_drops, alignment_talks, meta)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try insert.execute(arguments: [
      track.id, take, track.number, participant, track.participant.name.description, track.part, track.channels,
      track.length, track.file, track.peak, track.loudness, alignment?.basis, alignment?.drift, alignment?.offset,
      alignment?.errorBound, alignment?.expectedPackets, alignment?.recoveredPackets, alignment?.lostPackets,
      alignment?.concealedSamples, alignment?.unknownBecause, try alignment?.unseenDrops.map(text(of:)),
      try alignment?.talks.map(text(of:)), track.meta,
    ])
    let key = database.lastInsertedRowID
    try GapRecord.add(track.gaps, toTrack: key, in: database)
    try BoundRecord.add(alignment?.stretches ?? [], toTrack: key, in: database)
  }

  static func fetch(of take: TakeID, in database: Database) throws -> [Track] {
    let select = try database.cachedStatement(
      sql: """
        SELECT tracks.key, tracks.id, tracks.number, participants.id, tracks.name, tracks.part, tracks.channels,
          tracks.length, tracks.file, tracks.peak, tracks.loudness, tracks.alignment_basis, tracks.alignment_drift,
          tracks.alignment_offset, tracks.alignment_error_bound, tracks.alignment_expected_packets,
          tracks.alignment_recovered_packets, tracks.alignment_lost_packets, tracks.alignment_concealed_samples,
          tracks.alignment_unknown, tracks.alignment_unseen_drops, tracks.alignment_talks,
          tracks.meta
        FROM takes
        CROSS JOIN tracks ON tracks.take = takes.key
        CROSS JOIN participants ON participants.key = tracks.participant
        WHERE takes.id = ?
        ORDER BY tracks.number
        """)
    return try Row.fetchAll(select, arguments: [take]).map { row in
      Track(
        id: try row.decode(atIndex: 1), take: take, number: try row.decode(atIndex: 2),
        participant: Participant(id: try row.decode(atIndex: 3), name: try row.displayName(at: 4)),
        part: try row.decode(atIndex: 5), meta: try row.decode(atIndex: 22), channels: try row.decode(atIndex: 6),
        length: try row.decode(atIndex: 7), file: try row.decode(atIndex: 8), peak: try row.decode(atIndex: 9),
        loudness: try row.decode(atIndex: 10),
        gaps: try GapRecord.fetch(ofTrack: row.decode(atIndex: 0), in: database),
        alignment: try alignment(from: row, in: database))
    }
  }

  private static func alignment(from row: Row, in database: Database) throws -> AlignmentReport? {
    guard let basis = try row.decode(String?.self, atIndex: 11) else { return nil }
    return AlignmentReport(
      drift: try number(row, 12), offset: try number(row, 13), errorBound: try row.decode(atIndex: 14),
      unknownBecause: try row.decode(atIndex: 19), expectedPackets: try row.decode(atIndex: 15),
      recoveredPackets: try row.decode(atIndex: 16), lostPackets: try row.decode(atIndex: 17),
      concealedSamples: try row.decode(atIndex: 18), basis: basis,
      stretches: try BoundRecord.fetch(ofTrack: row.decode(atIndex: 0), in: database),
      unseenDrops: try row.decode(String?.self, atIndex: 20).map(spans(of:)),
      talks: try row.decode(String?.self, atIndex: 21).map(spans(of:)))
  }

  static func text(of spans: [SampleSpan]) throws -> String {
    String(decoding: try JSONEncoder().encode(spans), as: UTF8.self)
  }

  static func spans(of text: String) throws -> [SampleSpan] {
    try JSONDecoder().decode([SampleSpan].self, from: Data(text.utf8))
  }

  /// SQLite stores NaN as NULL.
  private static func number(_ row: Row, _ index: Int) throws -> Double {
    try row.decode(Double?.self, atIndex: index) ?? .nan
  }
}

/// The rows of `gaps`.
enum GapRecord {
  static func add(_ gaps: [Gap], toTrack track: Int64, in database: Database) throws {
    // A bad connection can cause thousands of gaps.
    let insert = try database.cachedStatement(
      sql: "INSERT INTO gaps (track, number, start, length, cause, is_concealed) VALUES (?, ?, ?, ?, ?, ?)")
    for (number, gap) in gaps.enumerated() {
      try insert.execute(arguments: [track, number, gap.start, gap.length, gap.cause, gap.isConcealed])
    }
  }

  static func fetch(ofTrack track: Int64, in database: Database) throws -> [Gap] {
    let select = try database.cachedStatement(
      sql: "SELECT start, length, cause, is_concealed FROM gaps WHERE track = ? ORDER BY number")
    return try Row.fetchAll(select, arguments: [track]).map { row in
      Gap(
        start: try row.decode(atIndex: 0), length: try row.decode(atIndex: 1), cause: try row.decode(atIndex: 2),
        isConcealed: try row.decode(atIndex: 3))
    }
  }
}

/// The rows of `bounds`.
enum BoundRecord {
  static func add(_ stretches: [BoundedStretch], toTrack track: Int64, in database: Database) throws {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO bounds (track, number, start, "end", error_bound, unknown, basis) VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    for (number, stretch) in stretches.enumerated() {
      try insert.execute(arguments: [
        track, number, stretch.start, stretch.end, stretch.errorBound, stretch.unknownBecause, stretch.basis,
      ])
    }
  }

  static func fetch(ofTrack track: Int64, in database: Database) throws -> [BoundedStretch] {
    let select = try database.cachedStatement(
      sql: "SELECT start, \"end\", error_bound, unknown, basis FROM bounds WHERE track = ? ORDER BY number")
    return try Row.fetchAll(select, arguments: [track]).map { row in
      BoundedStretch(
        start: try row.decode(atIndex: 0), end: try row.decode(atIndex: 1), errorBound: try row.decode(atIndex: 2),
        unknownBecause: try row.decode(atIndex: 3), basis: try row.decode(atIndex: 4))
    }
  }
}
