import Music
import Recording
import Signaling

/// Where takes are found: the data folder of this machine, or a service over REST.
///
/// Both answer in REST's shapes (docs/rest.md), so that a command prints the same whichever it was.
protocol TakeSource: Sendable {
  /// The data folder or the service's address, for sentences.
  var place: String { get }

  /// One page of the list of takes: `{"items", "next"}`.
  func takes(_ filter: TakeFilter) async throws -> JSONValue
  /// Takes whose identifiers begin with `prefix`, the newest first; five at most.
  func takes(beginningWith prefix: String) async throws -> [TakeView]
  /// A take with its cues, nil where there is none.
  func take(_ id: TakeID) async throws -> TakeView?
  /// Its tracks in REST's shape.
  func tracks(of take: TakeView) async throws -> [JSONValue]
  /// Its manifest, nil where the take has none yet.
  func manifest(of take: TakeView) async throws -> Manifest?
  /// Where the take is: its folder or its address.
  func place(of take: TakeView, manifest: Manifest?) -> String
  /// Where a player finds a file of the take (whose folder the manifest names), as members of an object: a `path` or a `url`.
  func place(of file: Manifest.File, in folder: String, of take: TakeView) -> JSONObject
}

extension TakeSource {
  /// The take that `text` stands for: its identifier, a beginning of it that no other has, or "last".
  /// - Throws: `CommandFailure`, and what the source throws.
  func find(_ text: String) async throws -> TakeView {
    let found: TakeView
    if text.lowercased() == "last" {
      guard let newest = try await takes(TakeFilter(limit: 1)).object?["items"]?.array?.first?.object else {
        throw CommandFailure(ExitCodes.noInput, "there is no take in \(place) yet")
      }
      found = TakeView(newest)
    } else if let id = TakeID(text), text.count == 26 {
      guard let take = try await take(id) else { throw unknown(text) }
      return take
    } else {
      found = try await onlyTake(beginningWith: text)
    }
    guard let id = TakeID(found.id), let take = try await take(id) else { throw unknown(text) }
    return take
  }

  private func onlyTake(beginningWith text: String) async throws -> TakeView {
    guard text.count >= TakeShelf.leastPrefix else {
      throw CommandFailure(
        ExitCodes.usage,
        "\"\(text)\" is too short for a take; give its id, the first \(TakeShelf.leastPrefix) or more characters of "
          + "it, or last (jamjar takes list shows them)")
    }
    let takes = try await takes(beginningWith: text)
    guard let take = takes.first else { throw unknown(text) }
    guard takes.count == 1 else {
      let all = takes.map { "\($0.id) (\($0.room), \($0.startedAt))" }.joined(separator: ", ")
      throw CommandFailure(ExitCodes.usage, "several takes begin with \(text); give more of one of these: \(all)")
    }
    return take
  }

  private func unknown(_ text: String) -> CommandFailure {
    CommandFailure(
      ExitCodes.noInput, "there is no take \(text.prefix(64)) in \(place); jamjar takes list shows all")
  }
}
