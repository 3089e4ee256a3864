import HTTPTypes
import Hummingbird
import Music
import Recording
import Signaling

/// Archives: of a take, and of all takes of a session.
extension TakeFilesResource {
  /// Most takes of an archive. Each has some ten files, which are examined before the first byte is sent.
  private static let mostTakes = 500
  /// The same if sound may be in the object store: it is brought back, and stays open until all is sent.
  private static let mostFetched = 40

  /// `GET /v1/sessions/{session}/archive`: a whole evening in one download, its takes in folders in the order in which
  /// they were played.
  func sendSession(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try request.checkQuery(only: ["originals"])
    let hasOriginals = try TakeFilesResource.wantsOriginals(request)
    let id: SessionID = try context.identifier("session")
    guard let session = try await index.session(id) else { throw Problem.unknownSession(id.description) }
    let takes = try await finishedTakes(of: session)
    let digits = max(2, String(takes.count).count)
    let named = takes.enumerated().map { place, take in
      let number = String(place &+ 1)
      let padding = String(repeating: "0", count: max(0, digits &- number.count))
      let title = "\(padding)\(number) \(TakeFilesResource.title(of: take))"
      return (take: take, name: TakeFilesResource.folderName(title))
    }
    return try await sendArchive(
      of: named, named: "\(session.room) \(session.startedAt.date)", hasOriginals: hasOriginals, request)
  }

  /// The takes of a session that have files, the oldest first, without those in the trash.
  private func finishedTakes(of session: Session) async throws -> [Take] {
    let most = objects == nil ? TakeFilesResource.mostTakes : TakeFilesResource.mostFetched
    var query = TakeQuery(session: session.id, sort: .oldest, limit: 200)
    var takes: [Take] = []
    repeat {
      let page = try await index.takes(query)
      takes.append(contentsOf: page.items.filter { $0.state == .ready || $0.state == .incomplete })
      query.cursor = page.next
      guard takes.count <= most else {
        throw Problem(
          .conflict, "too-many", "There are too many",
          "the session has more than \(most) takes, which are too many for one archive; download them one by one "
            + "(GET /v1/takes?session=\(session.id) lists them)")
      }
    } while query.cursor != nil
    guard !takes.isEmpty else {
      throw Problem(
        .conflict, "no-takes", "There is nothing to download",
        "no take of the session is ready; what rolls or is being rendered will be a moment after it ends")
    }
    return takes
  }

  func sendArchive(
    of takes: [(take: Take, name: String)], named name: String, hasOriginals: Bool, _ request: Request
  ) async throws -> Response {
    let archive: TakeArchive
    do {
      archive = try await keepingAll(takes.map { $0.take }[...]) {
        try await TakeArchive.open(takes, in: recordings, hasOriginals: hasOriginals, keepsOpen: objects != nil)
      }
    } catch let problem as FileProblem {
      throw TakeFilesResource.damaged(problem) ?? problem
    }
    return try FileResponse(file: archive, contentType: "application/zip", downloadName: "\(name).zip")
      .response(to: request)
  }

  /// Brings the sound of all these takes back, if it is in the object store only, and keeps it here meanwhile.
  private func keepingAll<Value>(
    _ takes: ArraySlice<Take>, _ body: () async throws -> Value
  ) async throws -> Value {
    guard objects != nil, let take = takes.first else { return try await body() }
    return try await keeping(nil, of: take) { try await keepingAll(takes.dropFirst(), body) }
  }

  /// A name that is a single folder on every system.
  static func folderName(_ title: String) -> String { String(title.map { "/\\:".contains($0) ? "_" : $0 }) }
}
