/// Finds a copy of a journal's header where the header itself is damaged.
struct JournalHeaderSearch {
  /// Bytes read at a time.
  private static let chunk = 1 << 20

  /// A reader at the beginning of `storage` that knows the header from its first copy; nil where no copy is whole.
  static func reader(for storage: any JournalStorage) throws(FileProblem) -> JournalReader? {
    var window: [UInt8] = []
    // Where in the file the window begins.
    var start: Int64 = 0
    while true {
      let more = try storage.read(at: start + Int64(window.count), count: chunk)
      window += more
      // A copy may lie across the window's end, unless that is the file's.
      let overlap = more.isEmpty ? 0 : JournalFormat.framePrefix + JournalFormat.longestHeader
      if let reader = JournalReader(findingHeaderIn: window.dropLast(overlap), of: window) { return reader }
      guard !more.isEmpty else { return nil }
      let done = max(0, window.count - overlap)
      window.removeFirst(done)
      start += Int64(done)
    }
  }
}
