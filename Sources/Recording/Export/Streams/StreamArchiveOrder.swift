import Music

/// What an archive of the streams of a session is made of: spans of takes, one after the other on a time line of its own.
///
/// Nothing passes on that line between two spans, as while an archive is paused.
package struct StreamArchiveOrder: Hashable, Sendable, Codable {
  /// A stretch of a take.
  package struct Span: Hashable, Sendable, Codable {
    package var take: TakeID
    /// The take's folder, relative to the data folder.
    package var folder: String
    /// On the take's time line.
    package var from: SamplePosition
    /// Nil for the take's end.
    package var to: SamplePosition?
    /// The only musicians to be heard; nil for all.
    package var only: [ParticipantID]?

    package init(
      take: TakeID, folder: String, from: SamplePosition, to: SamplePosition? = nil, only: [ParticipantID]? = nil
    ) {
      (self.take, self.folder, self.from, self.to, self.only) = (take, folder, from, to, only)
    }
  }

  /// A stream: what a musician sent from one publication to its end. One who comes back has another one.
  package struct Stay: Hashable, Sendable, Codable {
    package var stream: String
    package var participant: ParticipantID
    package var name: String
    package var connectionData: String
    package var from: WallTime
    /// Nil until its end.
    package var to: WallTime?
    /// When it was muted, with nil for an open end.
    package var mutes: [Mute]

    package struct Mute: Hashable, Sendable, Codable {
      package var from: WallTime
      package var to: WallTime?

      package init(from: WallTime, to: WallTime? = nil) { (self.from, self.to) = (from, to) }
    }

    package init(
      stream: String, participant: ParticipantID, name: String, connectionData: String, from: WallTime,
      to: WallTime? = nil, mutes: [Mute] = []
    ) {
      (self.stream, self.participant, self.name) = (stream, participant, name)
      (self.connectionData, self.from, self.to, self.mutes) = (connectionData, from, to, mutes)
    }
  }

  /// What is made.
  package enum Product: String, Hashable, Sendable, Codable {
    /// The mix, in one file.
    case mix
    /// Every stream as it was sent.
    case streams
  }

  /// 36 characters, a UUID.
  package var id: String
  package var name: String?
  package var session: String
  package var createdAt: WallTime
  package var product: Product
  /// Name and version of the program.
  package var software: String
  package var spans: [Span]
  package var stays: [Stay]

  package init(
    id: String, name: String?, session: String, createdAt: WallTime, product: Product, software: String, spans: [Span],
    stays: [Stay]
  ) {
    (self.id, self.name, self.session, self.createdAt) = (id, name, session, createdAt)
    (self.product, self.software, self.spans, self.stays) = (product, software, spans, stays)
  }
}

/// The finished file of an archive.
package struct StreamArchiveFile: Hashable, Sendable, Codable {
  package var name: String
  /// In bytes.
  package var size: Int64
  /// SHA-256 of the whole file.
  package var sum: [UInt8]
  /// Of the archive's time line.
  package var length: SamplePosition

  /// - Throws: `FileProblem`; errors of `proceed`.
  init(_ file: FinishedFile, in folder: TakeFolder, length: SamplePosition, proceed: () throws -> Void) throws {
    (name, size, self.length) = (file.name, file.size, length)
    let path = folder.label(file.name)
    let opened = try folder.open(file.name)
    let hash = SHA256()
    var place: Int64 = 0
    while place < file.size {
      try proceed()
      let bytes = try opened.read(at: place, count: StreamArchiveFile.stretch, path: path)
      guard !bytes.isEmpty else { break }
      bytes.withUnsafeBytes { hash.update($0) }
      place &+= Int64(bytes.count)
    }
    sum = hash.finish()
  }

  private static let stretch = 1 << 20
}
