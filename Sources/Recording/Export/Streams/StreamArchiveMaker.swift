import Music

/// Makes the file of an archive of streams, on the calling thread.
package struct StreamArchiveMaker {
  private let order: StreamArchiveOrder
  private let takes: [TakeFolder]
  private let target: TakeFolder

  /// - Parameters:
  ///   - takes: the folders of the order's spans, in their order.
  ///   - target: where the file goes.
  package init(_ order: StreamArchiveOrder, takes: [TakeFolder], target: TakeFolder) {
    (self.order, self.takes, self.target) = (order, takes, target)
  }

  /// - Parameters:
  ///   - encoder: makes the encoder of a mix.
  ///   - progress: receives the fraction done, or nil where it is unknown; an error that it throws ends the work.
  /// - Throws: `FileProblem`, `ExportProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`; no file is left then.
  package func make(
    encoder: () throws -> any MixEncoder, progress: (Double?) throws -> Void
  ) throws -> StreamArchiveFile {
    let spans = try ArchivedSpan.all(order.spans, in: takes)
    switch order.product {
    case .mix: return try MixArchive(order, spans, target: target).write(try encoder(), progress: progress)
    case .streams: return try StreamArchive(order, spans, target: target).write(progress: progress)
    }
  }
}
