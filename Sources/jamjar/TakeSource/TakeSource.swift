import Music
import Recording
import Signaling

/// A source of takes: a local data folder, or a service over REST.
///
/// Both return REST's JSON (docs/rest.md), so a command prints the same with either.
protocol TakeSource: Sendable {
  /// The data folder or the service's address, for messages.
  var place: String { get }

  /// One page of the list of takes: `{"items", "next"}`.
  func takes(_ filter: TakeFilter) async throws -> JSONValue
  /// Up to five takes whose identifiers begin with `prefix`, newest first.
  func takes(beginningWith prefix: String) async throws -> [TakeView]
  /// A take with its cues; nil if it does not exist.
  func take(_ id: TakeID) async throws -> TakeView?
  /// Brings the take's sound files back from the object store.
  func fetch(_ take: TakeID) async throws -> TakeView
  /// The take's tracks as REST returns them.
  func tracks(of take: TakeView) async throws -> [JSONValue]
  /// The take's manifest; nil if not yet written.
  func manifest(of take: TakeView) async throws -> Manifest?
  /// The take's folder or address.
  func place(of take: TakeView, manifest: Manifest?) -> String
  /// The location of a file for a player, as members of an object: a `path` or a `url`. The manifest names the folder.
  func place(of file: Manifest.File, in folder: String, of take: TakeView) -> JSONObject
}

extension TakeSource {
  /// The take identified by `text`: its identifier, a unique prefix of it, or "last".
  /// - Throws: `CommandFailure`, and errors of the source.
  func find(_ text: String) async throws -> TakeView {
    guard let take = try await take(try await identifier(of: text)) else { throw unknown(text) }
    return take
  }

  /// The identifier of the take meant by `text`; a take with a full identifier may not exist.
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
