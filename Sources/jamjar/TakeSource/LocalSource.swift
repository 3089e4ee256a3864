import ArgumentParser
import Catalog
import Foundation
import Logging
import Music
import Recording
import Server
import Signaling

/// The takes of a data folder; a service may be running on the folder at the same time.
struct LocalSource: TakeSource {
  let shelf: TakeShelf

  init(_ shelf: TakeShelf) {
    self.shelf = shelf
  }

  var place: String { shelf.data }

  func takes(_ filter: TakeFilter) async throws -> JSONValue {
    let page = try await shelf.index.takes(try query(filter))
    return Representation.list(page.items.map { .object(Representation.take($0)) }, next: page.next)
  }

  func takes(beginningWith prefix: String) async throws -> [TakeView] {
    try await shelf.index.takes(beginningWith: prefix).map { TakeView(Representation.take($0)) }
  }

  func take(_ id: TakeID) async throws -> TakeView? {
    guard let take = try await shelf.index.take(id) else { return nil }
    let refinement = await Refinement.known(of: take, in: shelf.data)
    let objects = await ObjectsReport.known(of: take, in: shelf.data)
    return TakeView(
      Representation.take(take, cues: try await shelf.index.cues(of: id), refinement: refinement, objects: objects))
  }

  func fetch(_ id: TakeID) async throws -> TakeView {
    guard let take = try await shelf.index.take(id) else { throw unknown(id.description) }
    var reader = try await SettingsReader(try SettingsOptions.parse([]))
    // Without a setting there may be nothing to fetch.
    let store = reader.isSet(.objects) ? Settings.readObjects(&reader) : nil
    guard reader.problems.isEmpty else { throw SettingsProblems(sentences: reader.problems) }
    do {
      try await ObjectFetch.fetch(take, index: shelf.index, in: shelf.data, store, logger: Logger(label: "jamjar"))
    } catch let problem as ConfigurationProblem {
      throw CommandFailure(ExitCodes.usage, problem.description)
    } catch {
      throw CommandFailure(ExitCodes.unavailable, "\(error)")
    }
    guard let fetched = try await self.take(id) else { throw unknown(id.description) }
    return fetched
  }

  func tracks(of take: TakeView) async throws -> [JSONValue] {
    guard let id = TakeID(take.id) else { return [] }
    let folder = try await folder(of: take)
    let lossless = folder.flatMap { try? LosslessTracks(of: id, in: $0) }
    return try await shelf.index.tracks(of: id).map { Representation.track($0, lossless) }
  }

  func manifest(of take: TakeView) async throws -> Manifest? {
    guard let folder = try await folder(of: take), folder.has(TakeFolder.manifestName) else { return nil }
    return try Manifest(of: folder)
  }

  func place(of take: TakeView, manifest: Manifest?) -> String {
    manifest.map { "\(place)/\($0.take.folder)" } ?? place
  }

  func place(of file: Manifest.File, in folder: String, of take: TakeView) -> JSONObject {
    ["path": .string(URL(fileURLWithPath: shelf.data).path + "/\(folder)/\(file.name)")]
  }

  /// The take's folder; nil if it no longer exists.
  private func folder(of take: TakeView) async throws -> TakeFolder? {
    guard let id = TakeID(take.id), let known = try await shelf.index.take(id) else { return nil }
    return try? TakeFolder(existing: known.folder, in: shelf.data)
  }

  private func query(_ filter: TakeFilter) throws -> TakeQuery {
    var query = TakeQuery(limit: filter.limit, cursor: filter.cursor)
    query.room = try filter.room.map { try RoomName(checking: $0) }
    query.state = filter.state.flatMap(TakeState.init(rawValue:))
    query.song = filter.song
    query.participant = filter.participant
    query.session = filter.session
    query.minimumRating = filter.rating
    query.tag = filter.tag
    query.isFavourite = filter.isFavourite
    query.startedAfter = filter.after
    query.startedBefore = filter.before
    query.condition = filter.condition
    query.shelf = filter.isDeleted ? .deleted : .kept
    query.sort = filter.sort
    return query
  }
}
