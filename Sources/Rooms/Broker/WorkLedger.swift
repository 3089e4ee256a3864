import Synchronization

/// The current work of the service; at shutdown, the log lists what was interrupted.
package final class WorkLedger: Sendable {
  package enum Kind: CaseIterable, Sendable {
    case take, rtmp, link, http, export, backup, importing

    fileprivate func phrase(_ count: Int) -> String {
      let (one, many) =
        switch self {
        case .take: ("take that the next start completes", "takes that the next start completes")
        case .rtmp: ("RTMP connection", "RTMP connections")
        case .link: ("signaling link", "signaling links")
        case .http: ("HTTP connection", "HTTP connections")
        case .export: ("export that the next start makes", "exports that the next start makes")
        case .backup: ("backup that the next start aligns", "backups that the next start aligns")
        case .importing: ("import that the next start continues", "imports that the next start continues")
        }
      return "\(count) \(count == 1 ? one : many)"
    }
  }

  private let open = Mutex<[Kind: Set<String>]>([:])

  package init() {}

  /// Records the start of work; `id` is unique within its kind.
  package func begin(_ kind: Kind, _ id: some CustomStringConvertible) {
    _ = open.withLock { $0[kind, default: []].insert(id.description) }
  }

  package func end(_ kind: Kind, _ id: some CustomStringConvertible) {
    _ = open.withLock { $0[kind]?.remove(id.description) }
  }

  /// The open work, for users: "1 take that the next start completes, 2 HTTP connections"; nil if there is none.
  package var sentence: String? {
    let open = open.withLock { $0 }
    let phrases = Kind.allCases.compactMap { kind in
      open[kind].flatMap { $0.isEmpty ? nil : kind.phrase($0.count) }
    }
    return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
  }
}
