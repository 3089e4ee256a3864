import Library
import Logging
import Music

/// Bringing takes back from the object store without a service, for the command line.
package enum ObjectFetch {
  /// Brings the sound files of a take back; those that are here stay.
  ///
  /// - Parameters:
  ///   - root: the data folder.
  ///   - configuration: the store; nil if none is set up.
  /// - Throws: `ConfigurationProblem` without a store, if one is needed; `FileProblem`, and a sentence of the store.
  package static func fetch(
    _ take: Take, index: any TakeIndex, in root: String, _ configuration: ObjectsConfiguration?, logger: Logger
  ) async throws {
    let report = await ObjectsReport.known(of: take, in: root)
    guard let report, !report.isLocal else { return }
    guard let configuration else {
      throw ConfigurationProblem(
        "the sound of the take \(take.id) is in \(report.place ?? "a store"); name it with --objects or JAMJAR_OBJECTS")
    }
    let objects = Objects(configuration, index: index, root: root, feed: EventFeed(), reserve: 0, logger: logger)
    try await objects.keeping(nil, in: take.folder) {}
  }
}
