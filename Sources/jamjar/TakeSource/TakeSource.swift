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
    guard let take = try await take(try await identifier(of: text)) else { throw unknown(text) }
    return take
  }

  /// The identifier of the take that `text` stands for; there may be none of that identifier.
  /// - Throws: as `find`.
  func identifier(of text: String) async throws -> TakeID {
    var found: [TakeView] = []
    do {
      let reference = try TakeReference(text)
      switch reference {
      case .take(let id): return id
      case .newest:
        guard let newest = try await takes(TakeFilter(limit: 1)).object?["items"]?.array?.first?.object else {
          throw CommandFailure(ExitCodes.noInput, "there is no take in \(place) yet")
        }
        found = [TakeView(newest)]
      case .beginning(let prefix): found = try await takes(beginningWith: prefix)
      }
      guard let id = TakeID(try TakeReference.only(of: found).id) else { throw TakeReferenceProblem.unknown }
      return id
    } catch let problem as TakeReferenceProblem {
      throw refusal(problem, of: text, found)
    }
  }

  func unknown(_ text: String) -> CommandFailure { refusal(.unknown, of: text, []) }

  private func refusal(_ problem: TakeReferenceProblem, of text: String, _ found: [TakeView]) -> CommandFailure {
    switch problem {
    case .tooShort(let text):
      CommandFailure(
        ExitCodes.usage,
        "\"\(text)\" is too short for a take; give its id, the first \(TakeReference.leastCharacters) or more "
          + "characters of it, or last (jamjar takes list shows them)")
    case .unknown:
      CommandFailure(ExitCodes.noInput, "there is no take \(text.prefix(64)) in \(place); jamjar takes list shows all")
    case .several:
      CommandFailure(
        ExitCodes.usage,
        "several takes begin with \(text); give more of one of these: "
          + found.map { "\($0.id) (\($0.room), \($0.startedAt))" }.joined(separator: ", "))
    }
  }
}
