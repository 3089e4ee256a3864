import Machines

/// Work of clients that costs the service something.
package enum MeteredWork: String, Hashable, Sendable, CaseIterable {
  /// An open connection, over any protocol.
  case connection
  /// A REST request.
  case request
  /// A request of an application's server by the interface of OpenTok.
  case projectRequest = "project-request"
  /// Entering a room, over any protocol.
  case join
  /// Beginning a take: a start or a split, over any protocol.
  case take
  /// A new song, by the title of a take's.
  case song
  /// Announcing a backup, or sending a backing track.
  case upload
  /// Receiving a piece of a backup or of a file to import, or a backing track.
  case transfer
  /// An event stream.
  case stream
  /// A response of 1 MiB or more, until it has been sent.
  case download
  case export
  /// An instance of Remote Monster's mixer, until its lease is over.
  case mixer
  /// Announcing recordings to import.
  case importing = "import"
  /// Leaving a comment by a share's link.
  case comment
  /// Giving a share's link a password, or showing it, right or wrong: hashing is slow on purpose.
  case password
  /// Showing a key or token that is not valid.
  case wrongSecret = "wrong-secret"
  /// Showing a key or token that nobody has proved yet, from an address that has shown too many wrong ones.
  case guess

  /// For the sentences of refusals.
  fileprivate var words: String {
    switch self {
    case .connection: "connections"
    case .request: "requests"
    case .projectRequest: "requests of a project of OpenTok"
    case .join: "joins"
    case .take: "starts and splits of takes"
    case .song: "new songs"
    case .upload: "new backups and backing tracks"
    case .transfer: "pieces of uploads, and backing tracks"
    case .stream: "event streams"
    case .download: "downloads"
    case .export: "exports"
    case .mixer: "mixer instances"
    case .importing: "imports"
    case .comment: "comments"
    case .password: "passwords of links"
    case .wrongSecret: "wrong keys and tokens"
    case .guess: "new keys and tokens after many wrong ones"
    }
  }
}

/// The party that a limit applies to.
package enum QuotaScope: String, Hashable, Sendable, CaseIterable {
  /// A join token, or a share's link; a token for every room counts once for each room.
  case credential
  /// An address; an IPv6 address with its /64. Loopback, where proxies connect from, only counts wrong secrets.
  case address
  case room
  case service

  fileprivate var words: String {
    switch self {
    case .credential: "a join token or a link"
    case .address: "an address"
    case .room: "a room"
    case .service: "this service"
    }
  }
}

/// The one table of limits (docs/operating.md, "Limits").
package struct QuotaTable: Hashable, Sendable {
  package typealias Line = Quota<MeteredWork, QuotaScope>

  package private(set) var lines: [Line]

  package init(_ lines: [Line]) {
    self.lines = lines
  }

  /// The limit of `work` for a party of `scope`; nil for none.
  package subscript(work: MeteredWork, per scope: QuotaScope) -> Line.Measure? {
    get { lines.first { $0.work == work && $0.scope == scope }?.measure }
    set {
      lines.removeAll { $0.work == work && $0.scope == scope }
      if let newValue { lines.append(Line(work, per: scope, newValue)) }
    }
  }

  /// A band behind one address, a school with one shared link and the studio's pages stay far below; a script does not.
  package static let standard = QuotaTable([
    Line(.connection, per: .address, .held(128)),
    Line(.request, per: .credential, .rate(1_200, per: .seconds(60))),
    Line(.projectRequest, per: .credential, .rate(12_000, per: .seconds(60))),
    Line(.join, per: .credential, .rate(120, per: .seconds(60))),
    Line(.join, per: .address, .rate(240, per: .seconds(60))),
    Line(.take, per: .credential, .rate(20, per: .seconds(30))),
    Line(.take, per: .room, .rate(30, per: .seconds(30))),
    Line(.song, per: .credential, .rate(30, per: .seconds(60))),
    Line(.upload, per: .credential, .rate(30, per: .seconds(60))),
    Line(.transfer, per: .credential, .held(4)),
    Line(.transfer, per: .service, .held(32, reserve: 4)),
    Line(.stream, per: .credential, .held(16)),
    Line(.stream, per: .address, .held(64)),
    Line(.stream, per: .service, .held(256, reserve: 32)),
    Line(.download, per: .credential, .held(32)),
    Line(.download, per: .address, .held(64)),
    Line(.download, per: .service, .held(256, reserve: 32)),
    Line(.export, per: .credential, .rate(20, per: .seconds(60))),
    // A service's key is a credential that all its apps share.
    Line(.mixer, per: .credential, .held(64)),
    Line(.mixer, per: .address, .held(16)),
    Line(.mixer, per: .service, .held(256)),
    Line(.importing, per: .credential, .rate(20, per: .seconds(60))),
    Line(.comment, per: .address, .rate(10, per: .seconds(60))),
    Line(.comment, per: .credential, .rate(30, per: .seconds(60))),
    Line(.password, per: .credential, .rate(60, per: .seconds(60))),
    Line(.password, per: .service, .held(4)),
    Line(.wrongSecret, per: .address, .rate(10, per: .seconds(60))),
    Line(.guess, per: .address, .rate(1, per: .seconds(1))),
  ])

  /// The sentence for a client that has reached a limit.
  func sentence(_ work: MeteredWork, per scope: QuotaScope, retryAfter seconds: Int) -> String {
    let figure =
      switch self[work, per: scope] {
      case .rate(let count, let window): "\(count) in \(Int(window.seconds)) s"
      case .held(let count, let reserve): "\(count - reserve) at a time"
      case nil: "fewer"
      }
    return "\(work.words) are limited to \(figure) for \(scope.words); try again in \(seconds) s"
  }
}
