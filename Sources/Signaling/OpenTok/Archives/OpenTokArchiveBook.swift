// Arithmetic in this file is in range: it counts archives.

import Music

/// All archives of a service, newest first in every list. Pure.
package struct OpenTokArchiveBook: Sendable {
  /// Most archives of a project.
  package static let most = 1_000_000

  private var archives: [String: OpenTokArchive] = [:]
  /// Ids in the order of their beginning, of each project and of each session.
  private var byProject: [String: [String]] = [:]
  private var bySession: [String: [String]] = [:]
  /// Those that record, or wait for their file.
  package private(set) var unfinished: Set<String> = []

  package init() {}

  package var count: Int { archives.count }

  package var all: some Collection<OpenTokArchive> { archives.values }

  package subscript(id: String) -> OpenTokArchive? { archives[id] }

  /// The archive of that id if it is the project's.
  /// - Throws: `OpenTokRefusal` 404.
  package func find(_ id: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokArchive {
    guard let archive = archives[id.lowercased()], archive.project == project.key else {
      throw .notFound("Archive not found: there is no archive \(id.prefix(64)) of this project (any more)")
    }
    return archive
  }

  /// Adds an archive, or replaces it by its next state; one that is deleted goes.
  package mutating func put(_ archive: OpenTokArchive) {
    if archive.status == .deleted { return remove(archive.id) }
    if archives.updateValue(archive, forKey: archive.id) == nil {
      OpenTokArchiveBook.insert(archive, into: &byProject[archive.project, default: []], archives)
      OpenTokArchiveBook.insert(archive, into: &bySession[archive.session, default: []], archives)
    }
    if archive.status.isActive || archive.status == .stopped {
      unfinished.insert(archive.id)
    } else {
      unfinished.remove(archive.id)
    }
  }

  /// Nearly always at the end.
  private static func insert(
    _ archive: OpenTokArchive, into list: inout [String], _ archives: [String: OpenTokArchive]
  ) {
    var place = list.count
    while place > 0, let before = archives[list[place - 1]], before.createdAt > archive.createdAt { place -= 1 }
    list.insert(archive.id, at: place)
  }

  private mutating func remove(_ id: String) {
    guard let archive = archives.removeValue(forKey: id) else { return }
    unfinished.remove(id)
    byProject[archive.project]?.removeAll { $0 == id }
    bySession[archive.session]?.removeAll { $0 == id }
    if bySession[archive.session]?.isEmpty == true { bySession[archive.session] = nil }
  }

  /// A page of a project's archives.
  ///
  /// - Parameter session: only archives of this session.
  /// - Returns: the number of all, and those of the page.
  package func page(
    of project: OpenTokProject, session: String?, offset: Int, count: Int
  ) -> (total: Int, items: [OpenTokArchive]) {
    var list = byProject[project.key] ?? []
    if let session { list = (bySession[session] ?? []).filter { archives[$0]?.project == project.key } }
    let end = max(0, list.count - max(0, offset))
    let start = max(0, end - max(0, count))
    return (list.count, list[start..<end].reversed().compactMap { archives[$0] })
  }

  /// The archives of a session that record.
  package func active(in session: String) -> [OpenTokArchive] {
    unfinished.compactMap { archives[$0] }.filter { $0.session == session && $0.status.isActive }
  }

  /// Whether another archive of the session may begin.
  /// - Throws: `OpenTokRefusal` 409.
  package func check(_ wish: OpenTokArchiveWish, in session: OpenTokSessionID) throws(OpenTokRefusal) {
    guard session.settings.mode == .routed else { throw .needsRouted }
    if let other = active(in: session.description).first(where: { $0.wish.tag == wish.tag }) {
      throw OpenTokRefusal(
        status: 409, code: OpenTokArchiveBook.conflict,
        "The session is being archived already (\(other.id)); stop that archive, or give each a multiArchiveTag of its own"
      )
    }
    guard (byProject[session.key]?.count ?? 0) < OpenTokArchiveBook.most else {
      throw OpenTokRefusal(
        status: 409, code: OpenTokArchiveBook.conflict,
        "The project has \(OpenTokArchiveBook.most) archives, as many as it may; delete some")
    }
  }

  /// The vendor's code of a conflict.
  private static let conflict = 15_001
}
