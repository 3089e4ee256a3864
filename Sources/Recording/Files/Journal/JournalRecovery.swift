import Machines

/// Closes the journal of a take whose recorder died: cuts a torn tail and writes the end that was never written.
package struct JournalRecovery: Hashable, Sendable {
  package var header: JournalHeader
  /// True where the journal had its end already and nothing was changed.
  package var wasClosed: Bool
  /// When the last whole frame happened; the take's zero where there was none.
  package var lastTime: MonotonicTime
  /// Bytes of a torn tail that were cut off.
  package var cutBytes: Int64
  /// Bytes in the middle that cannot be read; they stay in the file, and readers leave them out.
  package var damagedBytes: Int64
  /// Frames that were numbered but are not there.
  package var missingFrames: Int

  /// Reads `storage` to its end, cuts what follows the last whole frame, appends `.end(recovered)` and syncs.
  ///
  /// Calling it again changes nothing.
  ///
  /// - Throws: `JournalDamage` where not even the header can be read (the file is left as it is); `FileProblem`.
  package static func recover(_ storage: any JournalStorage) throws -> JournalRecovery {
    var reader = JournalReader()
    var wasClosed = false
    while true {
      do throws(JournalDamage) {
        while let frame = try reader.next() {
          if case .end = frame { wasClosed = true } else { wasClosed = false }
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
        // A torn length can hide whole frames behind it.
        guard reader.pendingBytes > 0, reader.skipDamage() != nil else { break }
      } else {
        reader.feed(more)
      }
    }
    guard let header = reader.header, var writer = JournalWriter(resuming: reader) else {
      throw JournalDamage.damagedHeader("the file ends within it")
    }
    let recovery = JournalRecovery(
      header: header, wasClosed: wasClosed, lastTime: reader.lastTime ?? header.zero,
      cutBytes: Int64(reader.pendingBytes), damagedBytes: reader.skippedBytes, missingFrames: reader.missingFrames)
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
