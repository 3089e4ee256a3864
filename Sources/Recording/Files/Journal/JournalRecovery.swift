import Machines

/// Closes the journal of a take whose recorder died: truncates a torn tail and appends the missing end.
package struct JournalRecovery: Hashable, Sendable {
  package var header: JournalHeader
  /// True if the journal was already closed and nothing was changed.
  package var wasClosed: Bool
  /// Time of the last whole frame; the take's zero if there was none.
  package var lastTime: MonotonicTime
  /// Bytes removed from a torn tail.
  package var cutBytes: Int64
  /// Unreadable bytes in the middle; they stay in the file, and readers skip them.
  package var damagedBytes: Int64
  /// Frames missing from the sequence of ordinals.
  package var missingFrames: Int
  /// True if it has a packet of a musician's.
  package var hasPackets: Bool

  /// Reads `storage` to its end, truncates it after the last whole frame, appends `.end(recovered)` and syncs.
  ///
  /// Further calls change nothing.
  ///
  /// - Throws: `JournalDamage` if not even the header is readable (the file is left unchanged); `FileProblem`.
  package static func recover(_ storage: any JournalStorage) throws -> JournalRecovery {
    var reader = JournalReader()
    var (wasClosed, hasPackets) = (false, false)
    while true {
      do throws(JournalDamage) {
        while let frame = try reader.next() {
          if case .end = frame { wasClosed = true } else { wasClosed = false }
          if case .rtp = frame { hasPackets = true }
        }
      } catch {
        guard case .damagedFrame = error else {
          guard let found = try JournalHeaderSearch.reader(for: storage) else { throw error }
          reader = found
          continue
        }
        if reader.skipDamage() != nil { continue }
      }
      let more = try storage.read(at: reader.readOffset, count: chunk)
      if more.isEmpty {
        // A torn length field can hide whole frames after it.
        guard reader.pendingBytes > 0, reader.skipDamage() != nil else { break }
      } else {
        reader.feed(more)
      }
    }
    guard let header = reader.header, var writer = JournalWriter(resuming: reader) else {
      throw JournalDamage.endsInHeader
    }
    let recovery = JournalRecovery(
      header: header, wasClosed: wasClosed, lastTime: reader.lastTime ?? header.zero,
      cutBytes: Int64(reader.pendingBytes), damagedBytes: reader.skippedBytes, missingFrames: reader.missingFrames,
      hasPackets: hasPackets)
    if reader.pendingBytes > 0 { try storage.truncate(to: reader.goodLength) }
    if !wasClosed {
      writer.append(.end(at: recovery.lastTime, .recovered))
      try storage.append(writer.take())
    }
    try storage.sync()
    return recovery
  }

  /// Bytes read at a time.
  private static let chunk = 1 << 20
}
