import Music

/// The rows of `tracks`, with their gaps and bounds.
enum PostgreSQLTracks {
  static func replace(
    ofTake take: Int64, with tracks: [Track], at time: WallTime, in database: PostgreSQLConnection
  ) throws {
    try database.execute("DELETE FROM tracks WHERE take = $1", [take])
    for track in tracks { try add(track, toTake: take, at: time, in: database) }
  }

  private static func add(
    _ track: Track, toTake take: Int64, at time: WallTime, in database: PostgreSQLConnection
  ) throws {
    let participant = try PostgreSQLPeople.store(track.participant, at: time, in: database)
    let alignment = track.alignment
    let values: [(any PostgreSQLValue)?] = [
      track.id, take, track.number, participant, track.participant.name.description, track.part, track.channels,
      track.length, track.file, track.peak, track.loudness, alignment?.basis, alignment?.drift, alignment?.offset,
      alignment?.errorBound, alignment?.expectedPackets, alignment?.recoveredPackets, alignment?.lostPackets,
      alignment?.concealedSamples, alignment?.unknownBecause, try alignment?.unseenDrops.map(TrackRecord.text(of:)),
      try alignment?.talks.map(TrackRecord.text(of:)), track.meta,
    ]
    let key = try database.integer(
      """
      INSERT INTO tracks
        (id, take, number, participant, name, part, channels, length, file, peak, loudness,
        alignment_basis, alignment_drift, alignment_offset, alignment_error_bound, alignment_expected_packets,
        alignment_recovered_packets, alignment_lost_packets, alignment_concealed_samples, alignment_unknown,
        alignment_unseen_drops, alignment_talks, meta)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
      RETURNING key
      """, values)
    for (number, gap) in track.gaps.enumerated() {
      try database.execute(
        "INSERT INTO gaps (track, number, start, length, cause, is_concealed) VALUES ($1, $2, $3, $4, $5, $6)",
        [key, number, gap.start, gap.length, gap.cause.rawValue, gap.isConcealed])
    }
    for (number, stretch) in (alignment?.stretches ?? []).enumerated() {
      try database.execute(
        """
        INSERT INTO bounds (track, number, start, "end", error_bound, unknown, basis)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """,
        [key, number, stretch.start, stretch.end, stretch.errorBound, stretch.unknownBecause, stretch.basis])
    }
  }

  static func fetch(of take: TakeID, in database: PostgreSQLConnection) throws -> [Track] {
    var gaps: [Int64: [Gap]] = [:]
    var stretches: [Int64: [BoundedStretch]] = [:]
    _ = try database.all(
      """
      SELECT gaps.track, gaps.start, gaps.length, gaps.cause, gaps.is_concealed
      FROM takes JOIN tracks ON tracks.take = takes.key JOIN gaps ON gaps.track = tracks.key
      WHERE takes.id = $1 ORDER BY gaps.track, gaps.number
      """, [take]
    ) { row in
      guard let cause = row.text(3).flatMap(Gap.Cause.init) else { return try row.fail(3) as Void }
      gaps[try row[0], default: []].append(
        Gap(
          start: try row.position(1) ?? row.fail(1), length: try row.position(2) ?? row.fail(2), cause: cause,
          isConcealed: try row[4] as Int != 0))
    }
    _ = try database.all(
      """
      SELECT bounds.track, bounds.start, bounds."end", bounds.error_bound, bounds.unknown, bounds.basis
      FROM takes JOIN tracks ON tracks.take = takes.key JOIN bounds ON bounds.track = tracks.key
      WHERE takes.id = $1 ORDER BY bounds.track, bounds.number
      """, [take]
    ) { row in
      stretches[try row[0], default: []].append(
        BoundedStretch(
          start: try row.position(1) ?? row.fail(1), end: try row.position(2) ?? row.fail(2),
          errorBound: row.number(3), unknownBecause: row.text(4), basis: try row.text(5) ?? row.fail(5)))
    }
    return try database.all(
      """
      SELECT tracks.key, tracks.id, tracks.number, participants.id, tracks.name, tracks.part, tracks.channels,
        tracks.length, tracks.file, tracks.peak, tracks.loudness, tracks.alignment_basis, tracks.alignment_drift,
        tracks.alignment_offset, tracks.alignment_error_bound, tracks.alignment_expected_packets,
        tracks.alignment_recovered_packets, tracks.alignment_lost_packets, tracks.alignment_concealed_samples,
        tracks.alignment_unknown, tracks.alignment_unseen_drops, tracks.alignment_talks, tracks.meta
      FROM takes
      JOIN tracks ON tracks.take = takes.key
      JOIN participants ON participants.key = tracks.participant
      WHERE takes.id = $1
      ORDER BY tracks.number
      """, [take]
    ) { row in
      let key: Int64 = try row[0]
      return Track(
        id: try row.identifier(1), take: take, number: try row[2],
        participant: Participant(id: try row.identifier(3), name: try row.displayName(4)), part: row.text(5),
        meta: row.text(22), channels: try row[6], length: try row.position(7), file: row.text(8), peak: row.number(9),
        loudness: row.number(10), gaps: gaps[key] ?? [], alignment: try alignment(from: row, stretches[key] ?? []))
    }
  }

  private static func alignment(from row: PostgreSQLRow, _ stretches: [BoundedStretch]) throws -> AlignmentReport? {
    guard let basis = row.text(11) else { return nil }
    return AlignmentReport(
      drift: row.number(12) ?? .nan, offset: row.number(13) ?? .nan, errorBound: row.number(14),
      unknownBecause: row.text(19), expectedPackets: try row[15], recoveredPackets: try row[16],
      lostPackets: try row[17], concealedSamples: try row[18], basis: basis, stretches: stretches,
      unseenDrops: try row.text(20).map(TrackRecord.spans(of:)), talks: try row.text(21).map(TrackRecord.spans(of:)))
  }
}

/// The rows of `cues`.
enum PostgreSQLCues {
  static func replace(ofTake take: Int64, with cues: [Cue], in database: PostgreSQLConnection) throws {
    try database.execute("DELETE FROM cues WHERE take = $1", [take])
    for cue in cues {
      try database.execute(
        """
        INSERT INTO cues (id, take, position, text, author, share, commenter, is_hidden)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """,
        [
          cue.id, take, cue.position, cue.text, cue.author, cue.comment?.share, cue.comment?.name.description,
          cue.comment?.isHidden ?? false,
        ])
    }
  }

  static func fetch(of take: TakeID, in database: PostgreSQLConnection) throws -> [Cue] {
    try database.all(
      """
      SELECT cues.id, cues.position, cues.text, cues.author, cues.share, cues.commenter, cues.is_hidden
      FROM takes JOIN cues ON cues.take = takes.key
      WHERE takes.id = $1
      ORDER BY cues.position, cues.id
      """, [take]
    ) { row in
      let comment: CueComment? =
        row.isNull(4)
        ? nil
        : CueComment(
          share: try row.identifier(4), name: try row.displayName(5), isHidden: try row[6] as Int != 0)
      return Cue(
        id: try row.identifier(0), position: try row.position(1) ?? row.fail(1),
        text: try row.text(2) ?? row.fail(2), author: row.ulid(3).map(ParticipantID.init), comment: comment)
    }
  }
}

/// The rows of `files`.
enum PostgreSQLFiles {
  static func replace(ofTake take: Int64, with files: [TakeFile], in database: PostgreSQLConnection) throws {
    try database.execute("DELETE FROM files WHERE take = $1", [take])
    for file in files {
      try database.execute(
        """
        INSERT INTO files (take, name, role, track, size, digest_method, digest) VALUES ($1, $2, $3, $4, $5, $6, $7)
        """, [take, file.name, file.role, file.track, file.size, file.digestMethod, file.digest])
    }
  }

  static func fetch(of take: TakeID, in database: PostgreSQLConnection) throws -> [TakeFile] {
    try database.all(
      """
      SELECT files.name, files.role, files.track, files.size, files.digest_method, files.digest
      FROM takes JOIN files ON files.take = takes.key
      WHERE takes.id = $1
      ORDER BY files.name
      """, [take]
    ) { row in
      TakeFile(
        name: try row.text(0) ?? row.fail(0), role: try row.text(1) ?? row.fail(1),
        track: row.ulid(2).map(TrackID.init), size: try row[3], digestMethod: row.text(4), digest: row.text(5))
    }
  }
}
